/** Withings' `raw_…` tables: lists of lengths and values, whose names say what they hold. */
import type { Sink } from '../../record.js'
import { parsed } from '../../text/json.js'
import type { NamedRow } from '../../text/named-tables.js'
import { isoTime } from '../../text/times.js'

interface RawKind {
  readonly type: string
  readonly stream: string
  /** Whether a value is a sum over its length. */
  readonly isSum?: boolean
}

/** By the last part of the name: the content is the same for all. */
const rawKinds: Readonly<Record<string, RawKind>> = {
  hr: { type: 'frequency/bpm', stream: 'Heart rate' },
  'respiratory-rate': { type: 'frequency/brpm', stream: 'Respiratory rate' },
  spo2: { type: 'ratio/percent', stream: 'Oxygen saturation' },
  'core-body-temperature': { type: 'temperature/c', stream: 'Body temperature' },
  steps: { type: 'count/steps', stream: 'Steps', isSum: true },
  distance: { type: 'length/m', stream: 'Distance', isSum: true },
  'calories-earned': { type: 'energy/kcal', stream: 'Active energy', isSum: true }
}
/** What a tracker tells apart while somebody lies in bed. */
const states = ['awake', 'light', 'deep', 'rem'] as const

/** Values in lists: each begins where the one before it ends. */
export class RawReader {
  readonly #kind: string
  readonly #source: string

  constructor(
    name: string,
    private readonly sink: Sink,
    private readonly zone: string | undefined
  ) {
    const [device, kind] = partsOf(name)
    this.#kind = kind
    // The device stands before what it measures; for some that is said twice.
    this.#source = /^(?:tracker|sleep-monitor|scale|bpm)$/.test(device) ? device : ''
  }

  row(row: NamedRow): void {
    const kind = this.#kind
    const time = isoTime(row.get('start') ?? '', this.zone)
    const [lengths, values] = [listOf(row.get('duration')), listOf(row.get('value'))]
    if (!lengths || !values || lengths.length !== values.length || Number.isNaN(time)) {
      this.sink.leftOut(kind, Number.isNaN(time) ? 'of a time that cannot be read' : 'without a number')
      return
    }
    let at = time
    for (const [index, value] of values.entries()) {
      const length = Math.max(0, lengths[index]!)
      if (kind === 'sleep-state') this.#state(at, length, value)
      else this.#value(at, length, value)
      at += length
    }
  }

  #value(time: number, length: number, value: number): void {
    const kind = this.#kind
    const known = Object.hasOwn(rawKinds, kind) ? rawKinds[kind] : undefined
    if (!known) {
      const isHalf = kind === 'latitude' || kind === 'longitude'
      this.sink.leftOut(kind, isHalf ? 'a half of a position' : 'of a kind without a type here')
      return
    }
    const { isSum, stream, type } = known
    if (!isSum && value === 0) {
      this.sink.leftOut(kind, 'zero, which stands for none')
      return
    }
    const duration = isSum && length > 0 ? length : undefined
    this.sink.datum({ kind, source: this.#source, type, stream, time, duration, content: value })
  }

  #state(time: number, length: number, value: number): void {
    const state = states[value]
    if (state === undefined) {
      this.sink.leftOut(this.#kind, 'of a kind without a type here')
      return
    }
    this.sink.datum({
      kind: this.#kind,
      source: this.#source,
      type: 'sleep/analysis',
      stream: 'Sleep',
      time,
      duration: length > 0 ? length : undefined,
      content: { analysis: state === 'awake' ? 'awake' : 'asleep' },
      identity: String(value),
      clientData: { 'withings:state': state }
    })
  }
}

/** The device and what it measures, of a name such as `raw_tracker_hr.csv`. */
function partsOf(name: string): [device: string, kind: string] {
  const own = name.slice(name.lastIndexOf('/') + 1).toLowerCase()
  const [stem, start] = [own.slice(0, -4).replaceAll('calories_', 'calories-'), own.indexOf('raw_')]
  const end = stem.lastIndexOf('_')
  const isNamed = own.endsWith('.csv') && start >= 0 && end >= start + 4
  return isNamed ? [stem.slice(start + 4, end), stem.slice(end + 1)] : ['', 'raw']
}

/** The numbers of a cell such as `[60,60]`; `undefined` for what is none. */
function listOf(cell: string | undefined): number[] | undefined {
  const list = parsed(cell ?? '')
  return Array.isArray(list) && list.every(value => typeof value === 'number') ? list : undefined
}
