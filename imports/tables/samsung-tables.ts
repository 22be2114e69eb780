/** Lists the tables of Samsung Health, which are identified by their first line. */
import type { SkipReason } from '../skip-reasons.js'
import {
  centimetres,
  energyValue,
  kilograms,
  milligrams,
  noteValue,
  percent,
  heartRate,
  scoreReason,
  summaryReason,
  type KnownMaker,
  type ValueMapping
} from './known-maker.js'
import { nightCodes } from './nights.js'

/** Builds a table. Times of Samsung Health are in UTC; a column has the local offset. */
const createTable = (
  table: RegExp,
  values: Readonly<Record<string, ValueMapping>>,
  hasEnd = false
): KnownMaker => ({
  name: 'Samsung Health',
  preface: table,
  columns: ['start time'],
  time: 'start time',
  zone: '+00:00',
  source: 'deviceuuid',
  ...(hasEnd && { end: 'end time' }),
  values
})
const createSkippedTable = (table: RegExp, leaves: SkipReason): KnownMaker => ({
  ...createTable(table, {}),
  columns: [],
  skipReason: leaves
})

export const samsungTables: readonly KnownMaker[] = [
  createTable(/\bhealth\.weight\b/, {
    weight: kilograms('Weight'),
    height: centimetres('Height'),
    'body fat': percent('Body fat'),
    'body fat mass': kilograms('Body fat mass'),
    'muscle mass': kilograms('Muscle mass'),
    'skeletal muscle mass': kilograms('Skeletal muscle mass'),
    'fat free mass': kilograms('Fat free mass'),
    comment: noteValue
  }),
  createTable(
    /\bheart_rate\b/,
    {
      'heart rate': { type: 'frequency/bpm', stream: 'Heart rate' },
      min: heartRate('minimum'),
      max: heartRate('maximum'),
      comment: noteValue
    },
    true
  ),
  createTable(/\bblood_pressure\b/, {
    ...Object.fromEntries(
      (['systolic', 'diastolic', 'pulse'] as const).map(name => [
        name,
        {
          type: 'blood-pressure/mmhg-bpm',
          stream: 'Blood pressure',
          field: name === 'pulse' ? 'rate' : name
        }
      ])
    ),
    comment: noteValue
  }),
  createTable(/\bblood_glucose\b/, {
    glucose: { type: 'density/mmol-l', stream: 'Blood glucose' },
    comment: noteValue
  }),
  createTable(
    /\b(?:pedometer_)?step_count\b/,
    {
      count: { type: 'count/steps', stream: 'Steps' },
      distance: { type: 'length/m', stream: 'Distance' },
      calorie: energyValue
    },
    true
  ),
  createTable(
    /shealth\.sleep\b/,
    { 'start time': { type: 'sleep/analysis', stream: 'Sleep', codes: nightCodes } },
    true
  ),
  createTable(
    /\bsleep_stage\b/,
    {
      stage: {
        type: 'sleep/analysis',
        stream: 'Sleep stages',
        codes: {
          '40001': { analysis: 'awake' },
          '40002': { analysis: 'asleep' },
          '40003': { analysis: 'asleep' },
          '40004': { analysis: 'asleep' }
        }
      }
    },
    true
  ),
  createTable(
    /shealth\.exercise\b/,
    {
      'exercise type': {
        type: 'activity/plain',
        stream: 'Activities',
        codes: {
          '1001': 'Walking',
          '1002': 'Running',
          '11007': 'Cycling',
          '13001': 'Hiking',
          '14001': 'Swimming'
        }
      },
      calorie: { ...energyValue, stream: 'Energy of activities' },
      distance: { type: 'length/m', stream: 'Distance of activities' },
      'mean heart rate': heartRate('average'),
      'max heart rate': heartRate('maximum'),
      'min heart rate': heartRate('minimum'),
      comment: noteValue
    },
    true
  ),
  createTable(/\boxygen_saturation\b/, { spo2: percent('Oxygen saturation') }, true),
  createTable(/\bbody_temperature\b/, { temperature: { type: 'temperature/c', stream: 'Body temperature' } }),
  createTable(/\bwater_intake\b/, { amount: { type: 'volume/ml', stream: 'Water' } }),
  createTable(/\bcaffeine_intake\b/, { amount: milligrams('Caffeine') }),
  createTable(/\bfloors_climbed\b/, { floor: { type: 'count/generic', stream: 'Floors' } }, true),
  createSkippedTable(/\b(?:step_daily_trend|pedometer_day_summary|activity\.day_summary)\b/, summaryReason),
  createSkippedTable(/shealth\.stress\b/, scoreReason)
]
