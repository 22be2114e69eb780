/** Values of FIT's messages: numbers, times, and what messages of single measurements hold. */
import type { Sink } from '../../record.js'
import type { FitMessage } from './messages.js'
import { messageName } from './names.js'

/** Seconds from 1970 to the first of FIT's. */
const epoch = 631_065_600
/** Below this (FIT's seconds), a time counts from when the device was switched on: its clock was not set. */
const earliest = 0x1000_0000
const timestampField = 253
/** What a scale sends while it calculates. */
const calculating = 65_534

/** A time in seconds since 1970; `NaN` if there is none, or the clock was not set. */
export function timeIn(value: number | undefined): number {
  return value === undefined || value < earliest ? NaN : value + epoch
}

export function numberIn(fields: FitMessage['fields'], field: number): number | undefined {
  const value = fields.get(field)
  if (typeof value === 'number') return value
  return Array.isArray(value) && typeof value[0] === 'number' && !Number.isNaN(value[0])
    ? value[0]
    : undefined
}

/** The numbers of a list, `NaN` where there is none. */
export function listIn(fields: FitMessage['fields'], field: number): readonly number[] {
  const value = fields.get(field)
  return typeof value === 'number' ? [value] : Array.isArray(value) ? (value as number[]) : []
}

export function scale(value: number | undefined, by: number, offset = 0): number | undefined {
  return value === undefined ? undefined : Number((value / by + offset).toFixed(4))
}

/** A field that is a record of its own. */
interface Value {
  readonly field: number
  readonly type: string
  readonly stream: string
  readonly by?: number
}

interface Layout {
  readonly values: readonly Value[]
  /** Fields that say how or when it was measured. */
  readonly others?: readonly number[]
  /** The field of the time, where it is not that of all messages. */
  readonly time?: number
}

/** Messages that hold single measurements. */
const layouts: Readonly<Record<number, Layout>> = {
  30: {
    values: [
      { field: 0, type: 'mass/kg', stream: 'Weight', by: 100 },
      { field: 1, type: 'ratio/percent', stream: 'Body fat', by: 100 },
      { field: 2, type: 'ratio/percent', stream: 'Body water', by: 100 },
      { field: 3, type: 'mass/kg', stream: 'Visceral fat mass', by: 100 },
      { field: 4, type: 'mass/kg', stream: 'Bone mass', by: 100 },
      { field: 5, type: 'mass/kg', stream: 'Muscle mass', by: 100 },
      { field: 10, type: 'time/y', stream: 'Metabolic age' },
      { field: 13, type: 'pressure/kg-m2', stream: 'Body mass index', by: 10 }
    ],
    others: [12]
  },
  211: {
    values: [
      { field: 1, type: 'frequency/bpm', stream: 'Resting heart rate' },
      { field: 0, type: 'frequency/bpm', stream: 'Resting heart rate of the week' }
    ]
  },
  229: {
    values: [{ field: 2, type: 'gas-consumption/mlpkgmin', stream: 'VO2 max', by: 10 }],
    others: [5, 6, 8, 9, 12, 13],
    time: 0
  },
  269: { values: [{ field: 0, type: 'ratio/percent', stream: 'Oxygen saturation' }], others: [1, 2] },
  297: { values: [{ field: 0, type: 'frequency/brpm', stream: 'Respiratory rate', by: 100 }] },
  370: {
    values: [
      { field: 1, type: 'time/ms', stream: 'Heart rate variability of nights', by: 128 },
      { field: 0, type: 'time/ms', stream: 'Heart rate variability of the week', by: 128 },
      { field: 2, type: 'time/ms', stream: 'Highest heart rate variability of nights', by: 128 }
    ]
  },
  371: { values: [{ field: 0, type: 'time/ms', stream: 'Heart rate variability', by: 128 }] }
}

/** Reads a message of single measurements; returns false if it is another one. */
export function readValues(message: FitMessage, source: string, sink: Sink): boolean {
  const layout = layouts[message.number]
  if (!layout) return false
  const { fields } = message
  const name = messageName(message.number)
  const time = timeIn(layout.time === undefined ? message.timestamp : numberIn(fields, layout.time))
  let isFirst = true
  for (const { by = 1, field, stream, type } of layout.values) {
    const value = numberIn(fields, field)
    if (value === undefined) continue
    const kind = isFirst ? name : `${name} ${stream.toLowerCase()}`
    isFirst = false
    if (Number.isNaN(time)) sink.leftOut(kind, 'without a time')
    else if (value < 0 || (message.number === 30 && value === calculating))
      sink.leftOut(kind, 'not measured, as the file itself says')
    else if (value === 0) sink.leftOut(kind, 'zero, which means that nothing was measured')
    else sink.datum({ kind, source, type, stream, time, content: scale(value, by)! })
  }
  if (isFirst) sink.leftOut(name, 'without a number')
  const known = [...layout.values.map(({ field }) => field), ...(layout.others ?? [])]
  leaveOthers(message, new Set(layout.time === undefined ? known : [...known, layout.time]), sink)
  return true
}

/** Counts the fields of a message that are not read, by their numbers. */
export function leaveOthers(
  { developers, fields, number }: FitMessage,
  known: ReadonlySet<number>,
  sink: Sink
): void {
  const name = messageName(number)
  for (const field of fields.keys())
    if (field !== timestampField && !known.has(field))
      sink.leftOut(`${name} field ${field}`, 'of a kind without a type here')
  if (developers > 0)
    sink.leftOut(`${name} field of a developer`, 'of a kind without a type here', developers)
}
