/** Lists known tables whose columns are ambiguous by name and unit: how each is recognised, and what its columns contain. */
import {
  centimetres,
  energyValue,
  grams,
  kilograms,
  milligrams,
  minutes,
  noteValue,
  percent,
  heartRate,
  scoreReason,
  type KnownMaker,
  type ValueMapping
} from './known-maker.js'
import { nightCodes } from './nights.js'
import { samsungTables } from './samsung-tables.js'

const whoop = { name: 'Whoop', zoneColumn: 'cycle timezone' }

export const knownMakers: readonly KnownMaker[] = [
  {
    ...whoop,
    columns: ['cycle start time', 'cycle timezone', 'recovery score %'],
    time: 'cycle start time',
    end: 'cycle end time',
    values: {
      'resting heart rate (bpm)': { type: 'frequency/bpm', stream: 'Resting heart rate' },
      'heart rate variability (ms)': { type: 'time/ms', stream: 'Heart rate variability' },
      'skin temp (celsius)': { type: 'temperature/c', stream: 'Skin temperature' },
      'blood oxygen %': percent('Oxygen saturation'),
      // Labelled calories, but in kilocalories.
      'energy burned (cal)': energyValue,
      'max hr (bpm)': heartRate('maximum'),
      'average hr (bpm)': heartRate('average'),
      'respiratory rate (rpm)': { type: 'frequency/brpm', stream: 'Respiratory rate' }
    }
  },
  {
    ...whoop,
    columns: ['cycle timezone', 'sleep onset', 'wake onset', 'nap'],
    time: 'sleep onset',
    end: 'wake onset',
    values: {
      'sleep onset': { type: 'sleep/analysis', stream: 'Sleep', codes: nightCodes },
      'respiratory rate (rpm)': { type: 'frequency/brpm', stream: 'Respiratory rate' },
      'asleep duration (min)': minutes('Time asleep'),
      'in bed duration (min)': minutes('Time in bed'),
      'light sleep duration (min)': minutes('Light sleep'),
      'deep (sws) duration (min)': minutes('Deep sleep'),
      'rem duration (min)': minutes('REM sleep'),
      'awake duration (min)': minutes('Time awake')
    }
  },
  {
    ...whoop,
    columns: ['cycle timezone', 'workout start time', 'activity name'],
    time: 'workout start time',
    end: 'workout end time',
    values: {
      'activity name': { type: 'activity/plain', stream: 'Activities' },
      'energy burned (cal)': { ...energyValue, stream: 'Energy of activities' },
      'max hr (bpm)': heartRate('maximum'),
      'average hr (bpm)': heartRate('average')
    }
  },
  {
    ...whoop,
    columns: ['cycle start time', 'question text', 'answered yes'],
    time: 'cycle start time',
    description: 'question text',
    values: {
      'answered yes': { type: 'boolean/bool', stream: 'Journal', codes: { true: true, false: false } },
      notes: noteValue
    }
  },
  {
    name: 'Daylio',
    columns: ['full date', 'mood', 'activities'],
    time: 'full date',
    clock: 'time',
    description: 'activities',
    values: {
      mood: {
        type: 'mood/rating',
        stream: 'Mood',
        codes: { rad: 1, good: 0.75, meh: 0.5, bad: 0.25, awful: 0 }
      },
      'note title': { ...noteValue, stream: 'Titles of notes' },
      note: noteValue
    }
  },
  {
    name: 'MyFitnessPal',
    columns: ['date', 'meal', 'calories'],
    time: 'date',
    description: 'meal',
    values: {
      calories: { ...energyValue, stream: 'Energy of food' },
      'fat (g)': grams('Fat'),
      'saturated fat': grams('Saturated fat'),
      'polyunsaturated fat': grams('Polyunsaturated fat'),
      'monounsaturated fat': grams('Monounsaturated fat'),
      'trans fat': grams('Trans fat'),
      cholesterol: milligrams('Cholesterol'),
      'sodium (mg)': milligrams('Sodium'),
      potassium: milligrams('Potassium'),
      'carbohydrates (g)': grams('Carbohydrates'),
      fiber: grams('Fiber'),
      sugar: grams('Sugar'),
      'protein (g)': grams('Protein'),
      note: noteValue
    }
  },
  {
    name: 'MyFitnessPal',
    columns: ['date', 'exercise', 'exercise calories', 'exercise minutes'],
    time: 'date',
    description: 'exercise',
    values: {
      exercise: { type: 'activity/plain', stream: 'Activities' },
      'exercise calories': { ...energyValue, stream: 'Energy of activities' },
      'exercise minutes': minutes('Exercise'),
      steps: { type: 'count/steps', stream: 'Steps' },
      note: noteValue
    }
  },
  {
    name: 'openScale',
    columns: ['datetime', 'weight', 'fat', 'water', 'muscle'],
    skipsZero: true,
    time: 'datetime',
    values: {
      weight: kilograms('Weight'),
      fat: percent('Body fat'),
      water: percent('Body water'),
      muscle: percent('Muscle'),
      bone: kilograms('Bone mass'),
      lbm: kilograms('Lean body mass'),
      waist: centimetres('Waist'),
      hip: centimetres('Hip'),
      chest: centimetres('Chest'),
      thigh: centimetres('Thigh'),
      biceps: centimetres('Biceps'),
      neck: centimetres('Neck'),
      comment: noteValue
    }
  },
  ...(['kg', 'lb', 'st'] as const).map((unit): KnownMaker => {
    const mass = (stream: string): ValueMapping => ({ type: `mass/${unit}`, stream })
    return {
      name: 'Libra',
      preface: new RegExp(`\\bunits?\\s{0,3}[:=;]?\\s{0,3}${unit}s?\\b`, 'i'),
      columns: ['#date', 'weight'],
      time: '#date',
      values: {
        weight: mass('Weight'),
        'body fat': percent('Body fat'),
        bodyfat: percent('Body fat'),
        'muscle mass': mass('Muscle mass'),
        log: noteValue,
        comment: noteValue
      }
    }
  }),
  {
    name: 'Zepp Life',
    columns: ['date', 'deepsleeptime', 'shallowsleeptime', 'start', 'stop'],
    time: 'start',
    end: 'stop',
    values: {
      start: { type: 'sleep/analysis', stream: 'Sleep', codes: nightCodes },
      deepsleeptime: minutes('Deep sleep'),
      shallowsleeptime: minutes('Light sleep'),
      remtime: minutes('REM sleep'),
      waketime: minutes('Time awake')
    }
  },
  {
    name: 'Zepp Life',
    columns: ['date', 'steps', 'distance', 'rundistance', 'calories'],
    time: 'date',
    values: {
      steps: { type: 'count/steps', stream: 'Steps' },
      distance: { type: 'length/m', stream: 'Distance' },
      rundistance: { type: 'length/m', stream: 'Distance run' },
      calories: energyValue
    }
  },
  {
    name: 'Zepp Life',
    columns: ['time', 'weight', 'height', 'fatrate', 'bodywaterrate'],
    skipsZero: true,
    time: 'time',
    values: {
      weight: kilograms('Weight'),
      height: centimetres('Height'),
      fatrate: percent('Body fat'),
      bodywaterrate: percent('Body water'),
      bonemass: kilograms('Bone mass'),
      metabolism: { ...energyValue, stream: 'Basal metabolic rate' },
      musclerate: percent('Muscle')
    }
  },
  ...samsungTables,
  {
    name: 'Loop Habit Tracker',
    file: /(?:^|\/)scores\.csv$/i,
    columns: ['date'],
    time: 'date',
    values: {},
    skipReason: scoreReason
  }
]
