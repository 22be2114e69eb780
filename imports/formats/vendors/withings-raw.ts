/** Reads Withings' `raw_…` tables: lists of durations and values, named after what they contain. */
import type { Sink } from '../../record.js'
import { parseJson } from '../../text/object-scanner.js'
import type { NamedRow } from '../../text/named-tables.js'
import { parseIsoTime } from '../../text/times.js'

interface RawKind {
  readonly type: string
  readonly stream: string
  /** True if a value is a total over its duration. */
  readonly isTotal?: boolean
}

/** Kinds by the last part of the file name: the columns are the same for all. */
const rawKinds: Readonly<Record<string, RawKind>> = {
  hr: { type: 'frequency/bpm', stream: 'Heart rate' },
  'respiratory-rate': { type: 'frequency/brpm', stream: 'Respiratory rate' },
  spo2: { type: 'ratio/percent', stream: 'Oxygen saturation' },
  'core-body-temperature': { type: 'temperature/c', stream: 'Body temperature' },
  steps: { type: 'count/steps', stream: 'Steps', isTotal: true },
  distance: { type: 'length/m', stream: 'Distance', isTotal: true },
  'calories-earned': { type: 'energy/kcal', stream: 'Active energy', isTotal: true }
}
/** States that a tracker distinguishes in bed. */
const sleepStates = ['awake', 'light', 'deep', 'rem'] as const

/** Adds the values of lists. Each value begins where the previous one ends. */
export class RawReader {
  readonly #kind: string
  readonly #source: string

  constructor(
    name: string,
    private readonly sink: Sink,
    private readonly zone: string | undefined
  ) {
    const [device, kind] = parseFileName(name)
    this.#kind = kind
    // The name has the device before what it measures; some devices are written twice.
    this.#source = /^(?:tracker|sleep-monitor|scale|bpm)$/.test(device) ? device : ''
  }

  /** Adds the values of one row. A row whose lists or time cannot be read is skipped. */
  addRow(row: NamedRow): void {
    const kind = this.#kind
    const time = parseIsoTime(row.get('start') ?? '', this.zone)
    const [durations, values] = [parseNumbers(row.get('duration')), parseNumbers(row.get('value'))]
    if (!durations || !values || durations.length !== values.length || Number.isNaN(time)) {
      this.sink.skip(kind, Number.isNaN(time) ? 'of a time that cannot be read' : 'without a number')
      return
    }
    let start = time
    for (const [index, value] of values.entries()) {
      const duration = Math.max(0, durations[index]!)
      if (kind === 'sleep-state') this.#addState(start, duration, value)
      else this.#addValue(start, duration, value)
      start += duration
    }
  }

  /** Adds a value that was measured for `length` seconds, or counts it as skipped. */
  #addValue(time: number, length: number, value: number): void {
    const kind = this.#kind
    const rawKind = Object.hasOwn(rawKinds, kind) ? rawKinds[kind] : undefined
    if (!rawKind) {
      const isCoordinate = kind === 'latitude' || kind === 'longitude'
      this.sink.skip(kind, isCoordinate ? 'a half of a position' : 'of a kind without a type here')
      return
    }
    const { isTotal, stream, type } = rawKind
    if (!isTotal && value === 0) {
      this.sink.skip(kind, 'zero, which stands for none')
      return
    }
    const duration = isTotal && length > 0 ? length : undefined
    this.sink.addRecord({ kind, source: this.#source, type, stream, time, duration, content: value })
  }

  /** Adds a state of sleep that lasted for `duration` seconds; skips unknown states. */
  #addState(time: number, duration: number, value: number): void {
    const state = sleepStates[value]
    if (state === undefined) {
      this.sink.skip(this.#kind, 'of a kind without a type here')
      return
    }
    this.sink.addRecord({
      kind: this.#kind,
      source: this.#source,
      type: 'sleep/analysis',
      stream: 'Sleep',
      time,
      duration: duration > 0 ? duration : undefined,
      content: { analysis: state === 'awake' ? 'awake' : 'asleep' },
      identity: String(value),
      clientData: { 'withings:state': state }
    })
  }
}

/** Parses the device and the kind from a name such as `raw_tracker_hr.csv`. */
function parseFileName(name: string): [device: string, kind: string] {
  const fileName = name.slice(name.lastIndexOf('/') + 1).toLowerCase()
  const [stem, start] = [fileName.slice(0, -4).replaceAll('calories_', 'calories-'), fileName.indexOf('raw_')]
  const end = stem.lastIndexOf('_')
  const isRawName = fileName.endsWith('.csv') && start >= 0 && end >= start + 4
  return isRawName ? [stem.slice(start + 4, end), stem.slice(end + 1)] : ['', 'raw']
}

/** Parses a cell such as `[60,60]`; returns `undefined` if it is not a list of numbers. */
function parseNumbers(cell: string | undefined): number[] | undefined {
  const list = parseJson(cell ?? '')
  return Array.isArray(list) && list.every(value => typeof value === 'number') ? list : undefined
}
