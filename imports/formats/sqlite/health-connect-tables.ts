/** Describes the tables of Health Connect and the units that it stores. */
import type { Cell } from '../../sqlite/payload.js'
import type { ColumnMeasure } from './rows.js'

/** Numbers that mean "not set". */
export const unsetNumbers: readonly number[] = [Number.MIN_VALUE, -1]

export interface TableColumn extends ColumnMeasure {
  readonly column: string
}

const positiveRange: readonly [number, number] = [0, Infinity]
const percentRange: readonly [number, number] = [0, 100]
const beatRange: readonly [number, number] = [1, 300]
const degreeRange: readonly [number, number] = [0, 100]

function createColumn(
  column: string,
  type: string,
  stream: string,
  range = positiveRange,
  factor = 1
): TableColumn {
  return { column, type, stream, range, factor, absent: unsetNumbers }
}

/** Returns a column of a mass, stored in grams. */
function createMassColumn(column: string, stream: string): TableColumn {
  return createColumn(column, 'mass/kg', stream, positiveRange, 0.001)
}

/** Returns a column of an energy, stored in calories. */
function createEnergyColumn(column: string, stream: string): TableColumn {
  return createColumn(column, 'energy/kcal', stream, positiveRange, 0.001)
}

/** Tables whose rows have one value, at a time or over a time range. */
export const singleValueTables: ReadonlyMap<string, TableColumn> = new Map([
  ['active_calories_burned_record_table', createEnergyColumn('energy', 'Active energy')],
  [
    'basal_body_temperature_record_table',
    createColumn('temperature', 'temperature/c', 'Basal body temperature', degreeRange)
  ],
  [
    'basal_metabolic_rate_record_table',
    createColumn('basal_metabolic_rate', 'power/w', 'Basal metabolic rate')
  ],
  ['blood_glucose_record_table', createColumn('level', 'density/mmol-l', 'Blood glucose', [0, 60])],
  ['body_fat_record_table', createColumn('percentage', 'ratio/percent', 'Body fat', percentRange)],
  [
    'body_temperature_record_table',
    createColumn('temperature', 'temperature/c', 'Body temperature', degreeRange)
  ],
  ['body_water_mass_record_table', createMassColumn('body_water_mass', 'Body water')],
  ['bone_mass_record_table', createMassColumn('mass', 'Bone mass')],
  ['distance_record_table', createColumn('distance', 'length/m', 'Distance')],
  [
    'elevation_gained_record_table',
    { ...createColumn('elevation', 'length/m', 'Elevation gained', [-1e6, 1e6]), absent: [Number.MIN_VALUE] }
  ],
  ['floors_climbed_record_table', createColumn('floors', 'count/generic', 'Floors climbed')],
  [
    'heart_rate_variability_rmssd_record_table',
    createColumn('heart_rate_variability_millis', 'time/ms', 'Heart rate variability', [1, 1000])
  ],
  ['height_record_table', createColumn('height', 'length/m', 'Height', [0.01, 3])],
  ['hydration_record_table', createColumn('volume', 'volume/l', 'Drinks')],
  ['lean_body_mass_record_table', createMassColumn('mass', 'Lean body mass')],
  [
    'oxygen_saturation_record_table',
    createColumn('percentage', 'ratio/percent', 'Oxygen saturation', percentRange)
  ],
  ['respiratory_rate_record_table', createColumn('rate', 'frequency/brpm', 'Respiratory rate', [0.1, 1000])],
  [
    'resting_heart_rate_record_table',
    createColumn('beats_per_minute', 'frequency/bpm', 'Resting heart rate', beatRange)
  ],
  ['steps_record_table', createColumn('count', 'count/steps', 'Steps')],
  ['total_calories_burned_record_table', createEnergyColumn('energy', 'Energy')],
  [
    'vo2_max_record_table',
    createColumn('vo2_milliliters_per_minute_kilogram', 'gas-consumption/mlpkgmin', 'VO2 max', [0.1, 100])
  ],
  ['weight_record_table', createMassColumn('weight', 'Weight')],
  ['wheelchair_pushes_record_table', createColumn('count', 'count/generic', 'Wheelchair pushes')]
])

/** Tables of samples, each of which belongs to a row of a parent table with its source. */
export const sampleTables: ReadonlyMap<string, TableColumn & { readonly parent: string }> = new Map([
  [
    'heart_rate_record_series_table',
    {
      ...createColumn('beats_per_minute', 'frequency/bpm', 'Heart rate', beatRange),
      parent: 'heart_rate_record_table'
    }
  ],
  ['speed_record_table', { ...createColumn('speed', 'speed/m-s', 'Speed'), parent: 'SpeedRecordTable' }],
  ['power_record_table', { ...createColumn('power', 'power/w', 'Power'), parent: 'PowerRecordTable' }],
  [
    'cycling_pedaling_cadence_record_table',
    {
      ...createColumn('revolutions_per_minute', 'frequency/rpm', 'Cadence'),
      parent: 'CyclingPedalingCadenceRecordTable'
    }
  ]
])

/** Tables whose rows have one of several words, by number. */
export const wordTables: ReadonlyMap<
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
        // 2 is a rise of either hormone.
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

const gramColumns =
  'unsaturated_fat potassium thiamin trans_fat manganese caffeine dietary_fiber selenium vitamin_b6 protein chloride ' +
  'cholesterol copper iodine vitamin_b12 zinc riboflavin molybdenum phosphorus chromium total_fat calcium vitamin_c ' +
  'vitamin_e biotin vitamin_d niacin magnesium total_carbohydrate vitamin_k polyunsaturated_fat saturated_fat sodium ' +
  'folate monounsaturated_fat pantothenic_acid iron vitamin_a folic_acid sugar'

/** Columns of a meal. */
export const nutrientColumns: readonly TableColumn[] = [
  createEnergyColumn('energy', 'Energy of food'),
  createEnergyColumn('energy_from_fat', 'Energy of food from fat'),
  ...gramColumns.split(' ').map(column => createColumn(column, 'mass/g', formatColumnName(column)))
]

/** Formats the name of a column as that of a stream: `vitamin_b12` becomes `Vitamin B12`. */
function formatColumnName(column: string): string {
  const name = column.replaceAll('_', ' ').replace(/\b[a-z]\d*$/, letter => letter.toUpperCase())
  return name[0]!.toUpperCase() + name.slice(1)
}

/** Stages of sleep, by their numbers. */
export const sleepStages: ReadonlyMap<
  Cell,
  { readonly stage: string; readonly analysis: 'asleep' | 'awake' }
> = new Map([
  [1, { stage: 'awake', analysis: 'awake' }],
  [2, { stage: 'sleeping', analysis: 'asleep' }],
  [4, { stage: 'light', analysis: 'asleep' }],
  [5, { stage: 'deep', analysis: 'asleep' }],
  [6, { stage: 'rem', analysis: 'asleep' }],
  [7, { stage: 'awake in bed', analysis: 'awake' }]
])

/** Kinds of exercise, by their numbers from 0. */
export const exerciseNames =
  ', badminton, baseball, basketball, biking, stationary biking, boot camp, boxing, calisthenics, cricket, dancing, ' +
  'exercise class, fencing, American football, Australian football, frisbee, golf, guided breathing, gymnastics, ' +
  'handball, high intensity interval training, hiking, ice hockey, ice skating, martial arts, paddling, paragliding, ' +
  'pilates, racquetball, rock climbing, roller hockey, rowing, rugby, running, treadmill, sailing, scuba diving, ' +
  'skating, skiing, snowboarding, snowshoeing, soccer, softball, squash, stair climbing, strength training, ' +
  'stretching, surfing, swimming in open water, swimming in a pool, table tennis, tennis, volleyball, walking, ' +
  'water polo, weightlifting, wheelchair, yoga, workout, stair climbing machine, elliptical, rowing machine'

/** Internal tables of Health Connect. */
export const internalTables =
  /^(?:android_metadata|application_info_table|device_info_table|(?:read_)?access_logs_table|activity_date_table|change_log(?:s|_request)_table|preference_table|(?:pre_migration|health_data)_category_priority_table|migration_entity_table|device_data_\w+_table)$/
