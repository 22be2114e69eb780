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

function single(member: string, table: string, isFrequent = false): NumberKind {
  return toKind(member, singleValueTables.get(`${table}_record_table`)!, isFrequent)
}

export const numberKinds: ReadonlyMap<string, NumberKind> = new Map([
  ['steps', single('count', 'steps', true)],
  ['heart_rate', toKind('bpm', sampleTables.get('heart_rate_record_series_table')!, true)],
  ['heart_rate_variability', single('rmssd_millis', 'heart_rate_variability_rmssd')],
  ['resting_heart_rate', single('bpm', 'resting_heart_rate')],
  ['respiratory_rate', single('rate', 'respiratory_rate')],
  ['distance', single('meters', 'distance', true)],
  ['active_calories', single('calories', 'active_calories_burned', true)],
  ['total_calories', single('calories', 'total_calories_burned', true)],
  ['basal_metabolic_rate', single('watts', 'basal_metabolic_rate')],
  ['weight', single('kilograms', 'weight')],
  ['lean_body_mass', single('kilograms', 'lean_body_mass')],
  ['bone_mass', single('kilograms', 'bone_mass')],
  ['height', single('meters', 'height')],
  ['body_fat', single('percentage', 'body_fat')],
  ['oxygen_saturation', single('percentage', 'oxygen_saturation')],
  ['blood_glucose', single('mmol_per_liter', 'blood_glucose')],
  ['body_temperature', single('celsius', 'body_temperature')],
  ['basal_body_temperature', single('celsius', 'basal_body_temperature')],
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
  ['vo2_max', single('ml_per_kg_per_min', 'vo2_max')],
  ['hydration', single('liters', 'hydration')],
  ['floors_climbed', single('floors', 'floors_climbed')],
  ['elevation_gained', single('meters', 'elevation_gained')],
  ['wheelchair_pushes', single('count', 'wheelchair_pushes')]
])

/** One of several words. All are about sexual and reproductive health. */
interface WordKind {
  readonly member: string
  readonly type: string
  readonly stream: string
  /** By the number of Health Connect. */
  readonly words: ReadonlyMap<unknown, unknown>
}

function words(member: string, table: string): WordKind {
  const { stream, type, words: byNumber } = wordTables.get(`${table}_record_table`)!
  return { member, type, stream, words: byNumber }
}

export const wordKinds: ReadonlyMap<string, WordKind> = new Map([
  ['menstruation_flow', words('flow', 'menstruation_flow')],
  ['ovulation_test', words('result', 'ovulation_test')],
  ['cervical_mucus', words('appearance', 'cervical_mucus')],
  ['sexual_activity', words('protection_used', 'sexual_activity')]
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
