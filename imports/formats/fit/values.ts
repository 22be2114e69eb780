/** Reads values of FIT messages: numbers, times and single measurements. */
import type { Sink } from '../../record.js'
import type { FitMessage } from './messages.js'
import { getMessageName } from './names.js'
import { messageNumbers, timestampField } from './profile.js'

/** Start of FIT time, in seconds since the epoch. */
const epoch = 631_065_600
/** Smaller times (FIT seconds) count from when the device was switched on: its clock was not set. */
const minTime = 0x1000_0000
/** The value that a scale sends while it calculates. */
const calculatingValue = 65_534

/** Converts FIT seconds to seconds since the epoch; returns `NaN` if there is no time or the clock was not set. */
export function toTime(value: number | undefined): number {
  return value === undefined || value < minTime ? NaN : value + epoch
}

/** Returns a field's number, or the first of its numbers; `undefined` without one. */
export function getNumber(fields: FitMessage['fields'], field: number): number | undefined {
  const value = fields.get(field)
  if (typeof value === 'number') return value
  return Array.isArray(value) && typeof value[0] === 'number' && !Number.isNaN(value[0])
    ? value[0]
    : undefined
}

/** Returns the numbers of a field, with `NaN` for invalid ones. Returns an empty list without any. */
export function getNumbers(fields: FitMessage['fields'], field: number): readonly number[] {
  const value = fields.get(field)
  return typeof value === 'number' ? [value] : Array.isArray(value) ? (value as number[]) : []
}

/** Divides a raw number by `divisor` and adds `offset`, rounded to four decimals; `undefined` stays. */
export function scaleValue(value: number | undefined, divisor: number, offset = 0): number | undefined {
  return value === undefined ? undefined : Number((value / divisor + offset).toFixed(4))
}

/** A field that becomes a record. */
interface MeasuredField {
  readonly field: number
  readonly type: string
  readonly stream: string
  readonly divisor?: number
}

interface Layout {
  readonly values: readonly MeasuredField[]
  /** Fields about how or when the value was measured. */
  readonly contextFields?: readonly number[]
  /** Field of the time, if that is not the usual timestamp. */
  readonly time?: number
}

/** Layouts of messages with single measurements, by message number. */
const layouts: Readonly<Record<number, Layout>> = {
  [messageNumbers.weightScale]: {
    values: [
      { field: 0, type: 'mass/kg', stream: 'Weight', divisor: 100 },
      { field: 1, type: 'ratio/percent', stream: 'Body fat', divisor: 100 },
      { field: 2, type: 'ratio/percent', stream: 'Body water', divisor: 100 },
      { field: 3, type: 'mass/kg', stream: 'Visceral fat mass', divisor: 100 },
      { field: 4, type: 'mass/kg', stream: 'Bone mass', divisor: 100 },
      { field: 5, type: 'mass/kg', stream: 'Muscle mass', divisor: 100 },
      { field: 10, type: 'time/y', stream: 'Metabolic age' },
      { field: 13, type: 'pressure/kg-m2', stream: 'Body mass index', divisor: 10 }
    ],
    contextFields: [12]
  },
  [messageNumbers.monitoringHeartRates]: {
    values: [
      { field: 1, type: 'frequency/bpm', stream: 'Resting heart rate' },
      { field: 0, type: 'frequency/bpm', stream: 'Resting heart rate of the week' }
    ]
  },
  [messageNumbers.maxMet]: {
    values: [{ field: 2, type: 'gas-consumption/mlpkgmin', stream: 'VO2 max', divisor: 10 }],
    contextFields: [5, 6, 8, 9, 12, 13],
    time: 0
  },
  [messageNumbers.oxygen]: {
    values: [{ field: 0, type: 'ratio/percent', stream: 'Oxygen saturation' }],
    contextFields: [1, 2]
  },
  [messageNumbers.respiration]: {
    values: [{ field: 0, type: 'frequency/brpm', stream: 'Respiratory rate', divisor: 100 }]
  },
  [messageNumbers.hrvSummary]: {
    values: [
      { field: 1, type: 'time/ms', stream: 'Heart rate variability of nights', divisor: 128 },
      { field: 0, type: 'time/ms', stream: 'Heart rate variability of the week', divisor: 128 },
      { field: 2, type: 'time/ms', stream: 'Highest heart rate variability of nights', divisor: 128 }
    ]
  },
  [messageNumbers.hrvValue]: {
    values: [{ field: 0, type: 'time/ms', stream: 'Heart rate variability', divisor: 128 }]
  }
}

/**
 * Adds the values of a message with single measurements; returns false for other messages. Values without a
 * time, invalid values and zeros are skipped, and so are unknown fields.
 */
export function addValues(message: FitMessage, source: string, sink: Sink): boolean {
  const layout = layouts[message.number]
  if (!layout) return false
  const { fields } = message
  const name = getMessageName(message.number)
  const time = toTime(layout.time === undefined ? message.timestamp : getNumber(fields, layout.time))
  let isFirst = true
  for (const { divisor: by = 1, field, stream, type } of layout.values) {
    const value = getNumber(fields, field)
    if (value === undefined) continue
    const kind = isFirst ? name : `${name} ${stream.toLowerCase()}`
    isFirst = false
    if (Number.isNaN(time)) sink.skip(kind, 'without a time')
    else if (value < 0 || (message.number === messageNumbers.weightScale && value === calculatingValue))
      sink.skip(kind, 'not measured, as the file itself says')
    else if (value === 0) sink.skip(kind, 'zero, which means that nothing was measured')
    else sink.addRecord({ kind, source, type, stream, time, content: scaleValue(value, by)! })
  }
  if (isFirst) sink.skip(name, 'without a number')
  const readFields = [...layout.values.map(({ field }) => field), ...(layout.contextFields ?? [])]
  skipOtherFields(
    message,
    new Set(layout.time === undefined ? readFields : [...readFields, layout.time]),
    sink
  )
  return true
}

/**
 * Counts as skipped the fields of a message that are not in `known`, by their numbers. The timestamp is not
 * counted.
 */
export function skipOtherFields(
  { developerFields, fields, number }: FitMessage,
  known: ReadonlySet<number>,
  sink: Sink
): void {
  const name = getMessageName(number)
  for (const field of fields.keys())
    if (field !== timestampField && !known.has(field))
      sink.skip(`${name} field ${field}`, 'of a kind without a type here')
  if (developerFields > 0)
    sink.skip(`${name} field of a developer`, 'of a kind without a type here', developerFields)
}
