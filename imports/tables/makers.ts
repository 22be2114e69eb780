/** Lists known tables whose columns are ambiguous by name and unit: how each is recognised, and what its columns contain. */
import {
  centimetre,
  energy,
  gram,
  kilogram,
  milligram,
  minutes,
  night,
  note,
  percent,
  rate,
  score,
  type Maker,
  type Value
} from './maker.js'
import { samsungTables } from './samsung.js'

const whoop = { name: 'Whoop', zoneColumn: 'cycle timezone' }

export const makers: readonly Maker[] = [
  {
    ...whoop,
    has: ['cycle start time', 'cycle timezone', 'recovery score %'],
    time: 'cycle start time',
    end: 'cycle end time',
    values: {
      'resting heart rate (bpm)': { type: 'frequency/bpm', stream: 'Resting heart rate' },
      'heart rate variability (ms)': { type: 'time/ms', stream: 'Heart rate variability' },
      'skin temp (celsius)': { type: 'temperature/c', stream: 'Skin temperature' },
      'blood oxygen %': percent('Oxygen saturation'),
      // Labelled calories, but in kilocalories.
      'energy burned (cal)': energy,
      'max hr (bpm)': rate('maximum'),
      'average hr (bpm)': rate('average'),
      'respiratory rate (rpm)': { type: 'frequency/brpm', stream: 'Respiratory rate' }
    }
  },
  {
    ...whoop,
    has: ['cycle timezone', 'sleep onset', 'wake onset', 'nap'],
    time: 'sleep onset',
    end: 'wake onset',
    values: {
      'sleep onset': { type: 'sleep/analysis', stream: 'Sleep', codes: night },
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
    has: ['cycle timezone', 'workout start time', 'activity name'],
    time: 'workout start time',
    end: 'workout end time',
    values: {
      'activity name': { type: 'activity/plain', stream: 'Activities' },
      'energy burned (cal)': { ...energy, stream: 'Energy of activities' },
      'max hr (bpm)': rate('maximum'),
      'average hr (bpm)': rate('average')
    }
  },
  {
    ...whoop,
    has: ['cycle start time', 'question text', 'answered yes'],
    time: 'cycle start time',
    description: 'question text',
    values: {
      'answered yes': { type: 'boolean/bool', stream: 'Journal', codes: { true: true, false: false } },
      notes: note
    }
  },
  {
    name: 'Daylio',
    has: ['full date', 'mood', 'activities'],
    time: 'full date',
    clock: 'time',
    description: 'activities',
    values: {
      mood: {
        type: 'mood/rating',
        stream: 'Mood',
        codes: { rad: 1, good: 0.75, meh: 0.5, bad: 0.25, awful: 0 }
      },
      'note title': { ...note, stream: 'Titles of notes' },
      note
    }
  },
  {
    name: 'MyFitnessPal',
    has: ['date', 'meal', 'calories'],
    time: 'date',
    description: 'meal',
    values: {
      calories: energy,
      'fat (g)': gram('Fat'),
      'saturated fat': gram('Saturated fat'),
      'polyunsaturated fat': gram('Polyunsaturated fat'),
      'monounsaturated fat': gram('Monounsaturated fat'),
      'trans fat': gram('Trans fat'),
      cholesterol: milligram('Cholesterol'),
      'sodium (mg)': milligram('Sodium'),
      potassium: milligram('Potassium'),
      'carbohydrates (g)': gram('Carbohydrates'),
      fiber: gram('Fiber'),
      sugar: gram('Sugar'),
      'protein (g)': gram('Protein'),
      note
    }
  },
  {
    name: 'MyFitnessPal',
    has: ['date', 'exercise', 'exercise calories', 'exercise minutes'],
    time: 'date',
    description: 'exercise',
    values: {
      exercise: { type: 'activity/plain', stream: 'Activities' },
      'exercise calories': { ...energy, stream: 'Energy of activities' },
      'exercise minutes': minutes('Exercise'),
      steps: { type: 'count/steps', stream: 'Steps' },
      note
    }
  },
  {
    name: 'openScale',
    has: ['datetime', 'weight', 'fat', 'water', 'muscle'],
    skipsZero: true,
    time: 'datetime',
    values: {
      weight: kilogram('Weight'),
      fat: percent('Body fat'),
      water: percent('Body water'),
      muscle: percent('Muscle'),
      bone: kilogram('Bone mass'),
      lbm: kilogram('Lean body mass'),
      waist: centimetre('Waist'),
      hip: centimetre('Hip'),
      chest: centimetre('Chest'),
      thigh: centimetre('Thigh'),
      biceps: centimetre('Biceps'),
      neck: centimetre('Neck'),
      comment: note
    }
  },
  ...(['kg', 'lb', 'st'] as const).map((unit): Maker => {
    const mass = (stream: string): Value => ({ type: `mass/${unit}`, stream })
    return {
      name: 'Libra',
      preface: new RegExp(`\\bunits?\\s{0,3}[:=;]?\\s{0,3}${unit}s?\\b`, 'i'),
      has: ['#date', 'weight'],
      time: '#date',
      values: {
        weight: mass('Weight'),
        'body fat': percent('Body fat'),
        bodyfat: percent('Body fat'),
        'muscle mass': mass('Muscle mass'),
        log: note,
        comment: note
      }
    }
  }),
  {
    name: 'Zepp Life',
    has: ['date', 'deepsleeptime', 'shallowsleeptime', 'start', 'stop'],
    time: 'start',
    end: 'stop',
    values: {
      start: { type: 'sleep/analysis', stream: 'Sleep', codes: night },
      deepsleeptime: minutes('Deep sleep'),
      shallowsleeptime: minutes('Light sleep'),
      remtime: minutes('REM sleep'),
      waketime: minutes('Time awake')
    }
  },
  {
    name: 'Zepp Life',
    has: ['date', 'steps', 'distance', 'rundistance', 'calories'],
    time: 'date',
    values: {
      steps: { type: 'count/steps', stream: 'Steps' },
      distance: { type: 'length/m', stream: 'Distance' },
      rundistance: { type: 'length/m', stream: 'Distance run' },
      calories: energy
    }
  },
  {
    name: 'Zepp Life',
    has: ['time', 'weight', 'height', 'fatrate', 'bodywaterrate'],
    skipsZero: true,
    time: 'time',
    values: {
      weight: kilogram('Weight'),
      height: centimetre('Height'),
      fatrate: percent('Body fat'),
      bodywaterrate: percent('Body water'),
      bonemass: kilogram('Bone mass'),
      metabolism: { ...energy, stream: 'Basal metabolic rate' },
      musclerate: percent('Muscle')
    }
  },
  ...samsungTables,
  {
    name: 'Loop Habit Tracker',
    file: /(?:^|\/)scores\.csv$/i,
    has: ['date'],
    time: 'date',
    values: {},
    leaves: score
  }
]
