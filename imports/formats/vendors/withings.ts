/** Withings' export: tables of scales, blood pressure meters and watches, by the headers that they have. */
import type { Format, Head, Sink } from '../../record.js'
import { parsed } from '../../text/json.js'
import { isoTime } from '../../text/times.js'
import { zoneOf } from '../../text/zones.js'
import { isObject } from '../json-files.js'
import { columnsOf, eachNamedRow, type NamedRow } from '../../text/named-tables.js'
import { measureOf, numberOf, scaled } from '../../text/units.js'

type Kind = 'weight' | 'bp' | 'sleep' | 'activities' | 'raw'

/** Columns that together no other table has. */
const headers: Readonly<Record<Kind, readonly string[]>> = {
  weight: ['date', 'weight', 'fat mass', 'bone mass', 'muscle mass', 'hydration'],
  bp: ['date', 'heart rate', 'systolic', 'diastolic', 'comments'],
  sleep: ['from', 'to', 'light (s)', 'deep (s)', 'awake (s)'],
  activities: ['from', 'to', 'timezone', 'activity type', 'data'],
  raw: ['start', 'duration', 'value']
}

export const withings: Format = {
  id: 'withings',
  name: 'Withings',
  recognises: head => kindOf(head) !== undefined,
  async read(source, head, sink, { options }) {
    const kind = kindOf(head)!
    const reader =
      kind === 'raw'
        ? new RawReader(head.name, sink, options.zone)
        : new TableReader(kind, sink, options.zone)
    await eachNamedRow(source, head, ',', kind, sink, row => reader.row(row))
  }
}

function kindOf(head: Head): Kind | undefined {
  const columns = new Set(columnsOf(head, ',').map(name => (name.endsWith('(s)') ? name : plainName(name))))
  const kind = (Object.keys(headers) as Kind[]).find(each => headers[each].every(name => columns.has(name)))
  if (kind !== 'raw') return kind
  // Lists of lengths and values, which is what nobody else writes.
  const [, second = ''] = head.text.split('\n', 2)
  return columns.size === 3 && /,"?\[[^[\]]*\]"?,"?\[/.test(second) ? kind : undefined
}

/** A name without its unit. */
function plainName(name: string): string {
  const open = unitAt(name)
  return open < 0 ? name : name.slice(0, open).trimEnd()
}

/** What stands between the brackets at the end of a name. */
function unitOf(name: string): string {
  const open = unitAt(name)
  return open < 0 ? '' : name.slice(open + 1, -1)
}

function unitAt(name: string): number {
  return name.endsWith(')') ? name.lastIndexOf('(') : -1
}

/** Streams of what a scale measures besides weight. */
const masses: Readonly<Record<string, string>> = {
  weight: 'Weight',
  'fat mass': 'Fat mass',
  'bone mass': 'Bone mass',
  'muscle mass': 'Muscle mass',
  hydration: 'Body water'
}

class TableReader {
  constructor(
    private readonly kind: Exclude<Kind, 'raw'>,
    private readonly sink: Sink,
    private readonly zone: string | undefined
  ) {}

  row(row: NamedRow): void {
    if (this.kind === 'weight') this.#weight(row)
    else if (this.kind === 'bp') this.#pressure(row)
    else if (this.kind === 'sleep') this.#sleep(row)
    else this.#activity(row)
  }

  #weight(row: NamedRow): void {
    const time = isoTime(row.get('date') ?? '', this.zone)
    let isEmpty = true
    for (const [column, cell] of row) {
      const stream = masses[plainName(column)]
      const measure = stream === undefined ? undefined : measureOf(unitOf(column))
      const value = numberOf(cell)
      if (stream === undefined || !measure || !value) continue
      this.sink.datum({
        kind: isEmpty ? 'weight' : `weight, ${stream.toLowerCase()}`,
        source: '',
        type: measure.type,
        stream,
        time,
        content: scaled(value, measure.factor),
        description: isEmpty ? row.get('comments') : undefined
      })
      isEmpty = false
    }
    if (isEmpty) this.sink.leftOut('weight', 'without a number')
  }

  /** Some rows hold a pulse alone: the empty cells beside it are no zeros. */
  #pressure(row: NamedRow): void {
    const time = isoTime(row.get('date') ?? '', this.zone)
    const [systolic, diastolic, rate] = ['systolic', 'diastolic', 'heart rate'].map(name =>
      numberOf([...row].find(([column]) => plainName(column) === name)?.[1])
    )
    const common = { kind: 'bp', source: '', time, description: row.get('comments') }
    if (systolic && diastolic)
      this.sink.datum({
        ...common,
        type: 'blood-pressure/mmhg-bpm',
        stream: 'Blood pressure',
        content: { systolic, diastolic, ...(rate && { rate }) }
      })
    else if (rate) this.sink.datum({ ...common, type: 'frequency/bpm', stream: 'Heart rate', content: rate })
    else this.sink.leftOut('bp', 'without a number')
  }

  #sleep(row: NamedRow): void {
    const [time, end] = this.#span(row)
    const numbers = [...row].flatMap(([name, cell]) => {
      const value = numberOf(cell)
      return value === undefined ? [] : [[name, value] as const]
    })
    this.sink.datum({
      kind: 'sleep',
      source: '',
      type: 'sleep/analysis',
      stream: 'Sleep',
      time,
      duration: end > time ? end - time : undefined,
      content: { analysis: 'asleep' },
      identity: `${end}`,
      clientData: { 'withings:sleep': Object.fromEntries(numbers) }
    })
  }

  #activity(row: NamedRow): void {
    const [time, end] = this.#span(row)
    const name = row.get('activity type') ?? ''
    const data = parsed(row.get('data') ?? '')
    this.sink.datum({
      kind: 'activities',
      source: '',
      type: 'activity/plain',
      stream: 'Activities',
      time,
      duration: end > time ? end - time : undefined,
      identity: name,
      description: name === '' ? undefined : name,
      zone: zoneOf(row.get('timezone')),
      clientData: isObject(data) ? { 'withings:activity': data } : undefined
    })
  }

  #span(row: NamedRow): [number, number] {
    const zone = zoneOf(row.get('timezone')) ?? this.zone
    return [isoTime(row.get('from') ?? '', zone), isoTime(row.get('to') ?? '', zone)]
  }
}

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
class RawReader {
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
