/** Describes the tables of Gadgetbridge. */
import type { Cell } from '../../sqlite/payload.js'
import type { ColumnMeasure } from './rows.js'

const notMeasured = 'zero, which means that nothing was measured'

const heartRate: ColumnMeasure = {
  type: 'frequency/bpm',
  stream: 'Heart rate',
  // Devices send 255 and 254 while they measure or are not worn.
  absent: [-1, 254, 255],
  zero: notMeasured,
  range: [10, 250]
}
const restingHeartRate = { ...heartRate, stream: 'Resting heart rate' }
const oxygen: ColumnMeasure = {
  type: 'ratio/percent',
  stream: 'Oxygen saturation',
  absent: [-1, 255],
  zero: notMeasured,
  range: [40, 100]
}
const respiration: ColumnMeasure = {
  type: 'frequency/brpm',
  stream: 'Respiratory rate',
  absent: [-1, 255],
  zero: notMeasured,
  range: [2, 80]
}
/** Steps per minute. */
const steps = {
  type: 'count/steps',
  stream: 'Steps',
  absent: [-1],
  zero: 'zero, which stands for none',
  range: [0, 1000],
  duration: 60
} satisfies ColumnMeasure & { duration: number }

export interface SampleColumn extends ColumnMeasure {
  /** Seconds that a value covers. */
  readonly duration?: number
}

/** Columns that become records, by table. Step columns of other devices are running totals. */
const columnsByTable: Readonly<Record<string, Readonly<Record<string, SampleColumn>>>> = {
  MI_BAND_ACTIVITY_SAMPLE: { HEART_RATE: heartRate, STEPS: steps },
  HUAMI_EXTENDED_ACTIVITY_SAMPLE: { HEART_RATE: heartRate, STEPS: steps },
  XIAOMI_ACTIVITY_SAMPLE: { HEART_RATE: heartRate, STEPS: steps, SPO2: oxygen },
  HUAMI_HEART_RATE_MANUAL_SAMPLE: { HEART_RATE: heartRate },
  HUAMI_HEART_RATE_RESTING_SAMPLE: { HEART_RATE: restingHeartRate },
  HUAMI_HEART_RATE_MAX_SAMPLE: { HEART_RATE: { ...heartRate, stream: 'Highest heart rate' } },
  HUAMI_SLEEP_RESPIRATORY_RATE_SAMPLE: { RATE: respiration },
  HUAMI_SPO2_SAMPLE: { SPO2: oxygen },
  GARMIN_SPO2_SAMPLE: { SPO2: oxygen },
  GARMIN_RESPIRATORY_RATE_SAMPLE: { RESPIRATORY_RATE: respiration },
  GARMIN_HEART_RATE_RESTING_SAMPLE: { HEART_RATE: restingHeartRate },
  GARMIN_HRV_VALUE_SAMPLE: {
    VALUE: { type: 'time/ms', stream: 'Heart rate variability', zero: notMeasured, range: [1, 1000] }
  },
  CMF_HEART_RATE_SAMPLE: { HEART_RATE: heartRate },
  CMF_SPO2_SAMPLE: { SPO2: oxygen },
  COLMI_HEART_RATE_SAMPLE: { HEART_RATE: heartRate },
  COLMI_SPO2_SAMPLE: { SPO2: oxygen },
  WENA3_HEART_RATE_SAMPLE: { HEART_RATE: heartRate },
  MI_SCALE_WEIGHT_SAMPLE: {
    WEIGHT_KG: { type: 'mass/kg', stream: 'Weight', zero: notMeasured, range: [0.1, 500] }
  },
  FEMOMETER_VINCA2_TEMPERATURE_SAMPLE: {
    TEMPERATURE: { type: 'temperature/c', stream: 'Body temperature', zero: notMeasured, range: [25, 45] }
  }
}

/** Measurements of `XIAOMI_MANUAL_SAMPLE` by its type. */
export const manualMeasures: ReadonlyMap<Cell, ColumnMeasure> = new Map([
  [0x11, heartRate],
  [0x12, oxygen]
])

/** Columns that identify a row and are not records. */
export const keyColumns: ReadonlySet<string> = new Set([
  '_ID',
  'TIMESTAMP',
  'DEVICE_ID',
  'USER_ID',
  'UTC_OFFSET',
  'TYPE_NUM'
])
/** Tables of sleep sessions. */
export const sleepTables: ReadonlySet<string> = new Set([
  'XIAOMI_SLEEP_TIME_SAMPLE',
  'CMF_SLEEP_SESSION_SAMPLE',
  'COLMI_SLEEP_SESSION_SAMPLE'
])
/** Durations of sleep stages, as recorded by the device. */
export const stageColumns = [
  'TOTAL_DURATION',
  'DEEP_SLEEP_DURATION',
  'LIGHT_SLEEP_DURATION',
  'REM_SLEEP_DURATION',
  'AWAKE_DURATION'
]
/** Tables of settings and internal data. */
export const settingTables =
  /^(?:DEVICE|USER)_ATTRIBUTES$|^(?:USER|ALARM|REMINDER|WORLD_CLOCK|CONTACT|TAG|BATTERY_LEVEL|CALENDAR_SYNC_STATE|PENDING_FILE|android_metadata)$|NOTIFICATION/
/** Kinds of activities whose numbers are the same in all versions. */
export const activityKinds: ReadonlyMap<Cell, string> = new Map([
  [0x10, 'running'],
  [0x20, 'walking'],
  [0x40, 'swimming'],
  [0x80, 'cycling'],
  [0x100, 'treadmill'],
  [0x200, 'exercise'],
  [0x400, 'swimming in open water'],
  [0x800, 'indoor cycling'],
  [0x1000, 'elliptical trainer'],
  [0x2000, 'jump roping'],
  [0x4000, 'yoga'],
  [0x8000, 'soccer'],
  [0x10000, 'rowing machine'],
  [0x20000, 'cricket'],
  [0x40000, 'basketball'],
  [0x80000, 'ping-pong'],
  [0x100000, 'badminton'],
  [0x200000, 'strength training'],
  [0x400000, 'hiking'],
  [0x800000, 'climbing']
])

/** Returns true if a table contains a device's samples by minute. Huawei stores its samples twice. */
export function isActivityTable(table: string): boolean {
  return table.endsWith('ACTIVITY_SAMPLE') && !table.startsWith('HUAWEI')
}

/** Returns the columns of a table that become records; `undefined` if there are none. */
export function findColumns(table: string): Readonly<Record<string, SampleColumn>> | undefined {
  if (Object.hasOwn(columnsByTable, table)) return columnsByTable[table]
  return isActivityTable(table) ? { HEART_RATE: heartRate } : undefined
}
