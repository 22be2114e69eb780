/** What the tables of Health Connect hold, in the units that it keeps. */
import type { Cell } from '../../sqlite/payload.js'
import type { Measure } from './rows.js'

/** What numbers are that nobody has set. */
export const absent: readonly number[] = [Number.MIN_VALUE, -1]

export interface Column extends Measure {
  readonly column: string
}

const positive: readonly [number, number] = [0, Infinity]
const percent: readonly [number, number] = [0, 100]
const beats: readonly [number, number] = [1, 300]
const degrees: readonly [number, number] = [0, 100]

function one(column: string, type: string, stream: string, range = positive, factor = 1): Column {
  return { column, type, stream, range, factor, absent }
}

/** A mass: Health Connect keeps grams. */
function kilograms(column: string, stream: string): Column {
  return one(column, 'mass/kg', stream, positive, 0.001)
}

/** An energy: Health Connect keeps small calories. */
function kilocalories(column: string, stream: string): Column {
  return one(column, 'energy/kcal', stream, positive, 0.001)
}

/** Tables whose rows are one value, of a time or from one to another. */
export const singles: ReadonlyMap<string, Column> = new Map([
  ['active_calories_burned_record_table', kilocalories('energy', 'Active energy')],
  [
    'basal_body_temperature_record_table',
    one('temperature', 'temperature/c', 'Basal body temperature', degrees)
  ],
  ['basal_metabolic_rate_record_table', one('basal_metabolic_rate', 'power/w', 'Basal metabolic rate')],
  ['blood_glucose_record_table', one('level', 'density/mmol-l', 'Blood glucose', [0, 60])],
  ['body_fat_record_table', one('percentage', 'ratio/percent', 'Body fat', percent)],
  ['body_temperature_record_table', one('temperature', 'temperature/c', 'Body temperature', degrees)],
  ['body_water_mass_record_table', kilograms('body_water_mass', 'Body water')],
  ['bone_mass_record_table', kilograms('mass', 'Bone mass')],
  ['distance_record_table', one('distance', 'length/m', 'Distance')],
  [
    'elevation_gained_record_table',
    { ...one('elevation', 'length/m', 'Elevation gained', [-1e6, 1e6]), absent: [Number.MIN_VALUE] }
  ],
  ['floors_climbed_record_table', one('floors', 'count/generic', 'Floors climbed')],
  [
    'heart_rate_variability_rmssd_record_table',
    one('heart_rate_variability_millis', 'time/ms', 'Heart rate variability', [1, 1000])
  ],
  ['height_record_table', one('height', 'length/m', 'Height', [0.01, 3])],
  ['hydration_record_table', one('volume', 'volume/l', 'Drinks')],
  ['lean_body_mass_record_table', kilograms('mass', 'Lean body mass')],
  ['oxygen_saturation_record_table', one('percentage', 'ratio/percent', 'Oxygen saturation', percent)],
  ['respiratory_rate_record_table', one('rate', 'frequency/brpm', 'Respiratory rate', [0.1, 1000])],
  ['resting_heart_rate_record_table', one('beats_per_minute', 'frequency/bpm', 'Resting heart rate', beats)],
  ['steps_record_table', one('count', 'count/steps', 'Steps')],
  ['total_calories_burned_record_table', kilocalories('energy', 'Energy')],
  [
    'vo2_max_record_table',
    one('vo2_milliliters_per_minute_kilogram', 'gas-consumption/mlpkgmin', 'VO2 max', [0.1, 100])
  ],
  ['weight_record_table', kilograms('weight', 'Weight')],
  ['wheelchair_pushes_record_table', one('count', 'count/generic', 'Wheelchair pushes')]
])

/** Tables of samples, each of which belongs to a row of another one that says where it comes from. */
export const series: ReadonlyMap<string, Column & { readonly parent: string }> = new Map([
  [
    'heart_rate_record_series_table',
    { ...one('beats_per_minute', 'frequency/bpm', 'Heart rate', beats), parent: 'heart_rate_record_table' }
  ],
  ['speed_record_table', { ...one('speed', 'speed/m-s', 'Speed'), parent: 'SpeedRecordTable' }],
  ['power_record_table', { ...one('power', 'power/w', 'Power'), parent: 'PowerRecordTable' }],
  [
    'cycling_pedaling_cadence_record_table',
    {
      ...one('revolutions_per_minute', 'frequency/rpm', 'Cadence'),
      parent: 'CyclingPedalingCadenceRecordTable'
    }
  ]
])

/** Tables whose rows are one of several words, by their numbers. */
export const words: ReadonlyMap<
  string,
  {
    readonly column: string
    readonly type: string
    readonly stream: string
    readonly words: ReadonlyMap<Cell, string>
  }
> = new Map([
  [
    'menstruation_flow_record_table',
    {
      column: 'flow',
      type: 'reproductive-health/menstrual-flow',
      stream: 'Menstrual flow',
      words: new Map<Cell, string>([
        [0, 'unspecified'],
        [1, 'light'],
        [2, 'medium'],
        [3, 'heavy']
      ])
    }
  ],
  [
    'ovulation_test_record_table',
    {
      column: 'result',
      type: 'reproductive-health/ovulation',
      stream: 'Ovulation tests',
      words: new Map<Cell, string>([
        [0, 'indeterminate'],
        [1, 'luteinizingHormoneSurge'],
        // 2 is a rise of one hormone or the other.
        [3, 'negative']
      ])
    }
  ],
  [
    'cervical_mucus_record_table',
    {
      column: 'appearance',
      type: 'reproductive-health/mucus-quality',
      stream: 'Cervical mucus',
      words: new Map<Cell, string>([
        [1, 'dry'],
        [2, 'sticky'],
        [3, 'creamy'],
        [4, 'watery'],
        [5, 'eggWhite']
      ])
    }
  ],
  [
    'sexual_activity_record_table',
    {
      column: 'protection_used',
      type: 'reproductive-health/sexual-activity',
      stream: 'Sexual activity',
      words: new Map<Cell, string>([
        [0, 'notSet'],
        [1, 'protectionUsed'],
        [2, 'protectionNotUsed']
      ])
    }
  ]
])

const grams =
  'unsaturated_fat potassium thiamin trans_fat manganese caffeine dietary_fiber selenium vitamin_b6 protein chloride ' +
  'cholesterol copper iodine vitamin_b12 zinc riboflavin molybdenum phosphorus chromium total_fat calcium vitamin_c ' +
  'vitamin_e biotin vitamin_d niacin magnesium total_carbohydrate vitamin_k polyunsaturated_fat saturated_fat sodium ' +
  'folate monounsaturated_fat pantothenic_acid iron vitamin_a folic_acid sugar'

/** Columns of a meal. */
export const nutrients: readonly Column[] = [
  kilocalories('energy', 'Energy of food'),
  kilocalories('energy_from_fat', 'Energy of food from fat'),
  ...grams.split(' ').map(column => one(column, 'mass/g', nameOf(column)))
]

/** The name of a stream, of that of a column: `vitamin_b12` is Vitamin B12. */
function nameOf(column: string): string {
  const name = column.replaceAll('_', ' ').replace(/\b[a-z]\d*$/, letter => letter.toUpperCase())
  return name[0]!.toUpperCase() + name.slice(1)
}

/** Stages of sleep, by their numbers. */
export const stages: ReadonlyMap<Cell, { readonly stage: string; readonly analysis: 'asleep' | 'awake' }> =
  new Map([
    [1, { stage: 'awake', analysis: 'awake' }],
    [2, { stage: 'sleeping', analysis: 'asleep' }],
    [4, { stage: 'light', analysis: 'asleep' }],
    [5, { stage: 'deep', analysis: 'asleep' }],
    [6, { stage: 'rem', analysis: 'asleep' }],
    [7, { stage: 'awake in bed', analysis: 'awake' }]
  ])

/** Kinds of exercise, by their numbers from 0. */
export const exercises =
  ', badminton, baseball, basketball, biking, stationary biking, boot camp, boxing, calisthenics, cricket, dancing, ' +
  'exercise class, fencing, American football, Australian football, frisbee, golf, guided breathing, gymnastics, ' +
  'handball, high intensity interval training, hiking, ice hockey, ice skating, martial arts, paddling, paragliding, ' +
  'pilates, racquetball, rock climbing, roller hockey, rowing, rugby, running, treadmill, sailing, scuba diving, ' +
  'skating, skiing, snowboarding, snowshoeing, soccer, softball, squash, stair climbing, strength training, ' +
  'stretching, surfing, swimming in open water, swimming in a pool, table tennis, tennis, volleyball, walking, ' +
  'water polo, weightlifting, wheelchair, yoga, workout, stair climbing machine, elliptical, rowing machine'

/** Tables that Health Connect keeps for itself. */
export const internal =
  /^(?:android_metadata|application_info_table|device_info_table|(?:read_)?access_logs_table|activity_date_table|change_log(?:s|_request)_table|preference_table|(?:pre_migration|health_data)_category_priority_table|migration_entity_table|device_data_\w+_table)$/
