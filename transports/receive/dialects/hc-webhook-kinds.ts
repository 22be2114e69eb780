/** Kinds of records of HC Webhook, by the key of their list. (docs/webhook.md of mcnaveen/health-connect-webhook) */
import {
  singleValueTables,
  sampleTables,
  wordTables,
  nutrientColumns,
  type TableColumn
} from '../../../imports/formats/sqlite/health-connect-tables.js'

/** A number at a time, or over a time range. */
interface NumberKind {
  /** Member with the number. */
  readonly member: string
  readonly type: string
  readonly stream: string
  readonly range: readonly [least: number, most: number]
  /** True if many values a day are usual. */
  readonly isFrequent: boolean
}

/** Returns the kind with the type and stream that files of Health Connect have. The app converts values to these types' units. */
function toKind(
  member: string,
  { range = [0, Infinity], stream, type }: TableColumn,
  isFrequent = false
): NumberKind {
  return { member, type, stream, range, isFrequent }
}

function toSingleKind(member: string, table: string, isFrequent = false): NumberKind {
  return toKind(member, singleValueTables.get(`${table}_record_table`)!, isFrequent)
}

export const numberKinds: ReadonlyMap<string, NumberKind> = new Map([
  ['steps', toSingleKind('count', 'steps', true)],
  ['heart_rate', toKind('bpm', sampleTables.get('heart_rate_record_series_table')!, true)],
  ['heart_rate_variability', toSingleKind('rmssd_millis', 'heart_rate_variability_rmssd')],
  ['resting_heart_rate', toSingleKind('bpm', 'resting_heart_rate')],
  ['respiratory_rate', toSingleKind('rate', 'respiratory_rate')],
  ['distance', toSingleKind('meters', 'distance', true)],
  ['active_calories', toSingleKind('calories', 'active_calories_burned', true)],
  ['total_calories', toSingleKind('calories', 'total_calories_burned', true)],
  ['basal_metabolic_rate', toSingleKind('watts', 'basal_metabolic_rate')],
  ['weight', toSingleKind('kilograms', 'weight')],
  ['lean_body_mass', toSingleKind('kilograms', 'lean_body_mass')],
  ['bone_mass', toSingleKind('kilograms', 'bone_mass')],
  ['height', toSingleKind('meters', 'height')],
  ['body_fat', toSingleKind('percentage', 'body_fat')],
  ['oxygen_saturation', toSingleKind('percentage', 'oxygen_saturation')],
  ['blood_glucose', toSingleKind('mmol_per_liter', 'blood_glucose')],
  ['body_temperature', toSingleKind('celsius', 'body_temperature')],
  ['basal_body_temperature', toSingleKind('celsius', 'basal_body_temperature')],
  [
    'skin_temperature',
    // A difference from a person's usual temperature, which must not become part of temperatures.
    {
      member: 'delta_celsius',
      type: 'temperature/c',
      stream: 'Skin temperature difference',
      range: [-50, 50],
      isFrequent: false
    }
  ],
  ['vo2_max', toSingleKind('ml_per_kg_per_min', 'vo2_max')],
  ['hydration', toSingleKind('liters', 'hydration')],
  ['floors_climbed', toSingleKind('floors', 'floors_climbed')],
  ['elevation_gained', toSingleKind('meters', 'elevation_gained')],
  ['wheelchair_pushes', toSingleKind('count', 'wheelchair_pushes')]
])

/** One of several words. All are about sexual and reproductive health. */
interface WordKind {
  readonly member: string
  readonly type: string
  readonly stream: string
  /** By the number of Health Connect. */
  readonly words: ReadonlyMap<unknown, unknown>
}

function toWordKind(member: string, table: string): WordKind {
  const { stream, type, words: byNumber } = wordTables.get(`${table}_record_table`)!
  return { member, type, stream, words: byNumber }
}

export const wordKinds: ReadonlyMap<string, WordKind> = new Map([
  ['menstruation_flow', toWordKind('flow', 'menstruation_flow')],
  ['ovulation_test', toWordKind('result', 'ovulation_test')],
  ['cervical_mucus', toWordKind('appearance', 'cervical_mucus')],
  ['sexual_activity', toWordKind('protection_used', 'sexual_activity')]
])

/** Lists about sexual and reproductive health, which are stored only if the user has asked for it. */
export const sensitiveKeys: ReadonlySet<string> = new Set([
  ...wordKinds.keys(),
  'menstruation_period',
  'intermenstrual_bleeding'
])

/** Members of a meal, each with the number in the unit of its type. */
export const nutrients: readonly NumberKind[] = (
  [
    ['calories', 'energy'],
    ['protein_grams', 'protein'],
    ['carbs_grams', 'total_carbohydrate'],
    ['fat_grams', 'total_fat'],
    ['sugar_grams', 'sugar'],
    ['sodium_grams', 'sodium'],
    ['dietary_fiber_grams', 'dietary_fiber']
  ] as const
).map(([member, column]) =>
  toKind(
    member,
    nutrientColumns.find(each => each.column === column)!
  )
)

/** Numbers of the stages of sleep, by their names in Health Connect. */
export const stageNumbers: ReadonlyMap<string, number> = new Map([
  ['awake', 1],
  ['sleeping', 2],
  ['outofbed', 3],
  ['light', 4],
  ['deep', 5],
  ['rem', 6],
  ['awakeinbed', 7]
])
