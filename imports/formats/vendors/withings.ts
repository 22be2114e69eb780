/** Withings' export: tables of scales, blood pressure meters and watches, by the headers that they have. */
import type { Format, Head, Sink } from '../../record.js'
import { parsed } from '../../text/json.js'
import { isoTime } from '../../text/times.js'
import { zoneOf } from '../../text/zones.js'
import { byName, isObject } from '../json-files.js'
import { nightDatum } from '../sleep.js'
import { RawReader } from './withings-raw.js'
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
const masses = byName({
  weight: 'Weight',
  'fat mass': 'Fat mass',
  'bone mass': 'Bone mass',
  'muscle mass': 'Muscle mass',
  hydration: 'Body water'
})

const nothing = 'zero, which means that nothing was measured'

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

  /** Each value is a record; what is said of the row belongs to the first that is brought in. */
  #weight(row: NamedRow): void {
    const time = isoTime(row.get('date') ?? '', this.zone)
    const used = new Set(['date'])
    let count = 0
    for (const [column, cell] of row) {
      const stream = masses.get(plainName(column))
      if (stream === undefined) continue
      used.add(column)
      const kind = count++ === 0 ? 'weight' : `weight, ${stream.toLowerCase()}`
      const measure = measureOf(unitOf(column))
      const value = numberOf(cell)
      if (value === undefined) this.sink.leftOut(kind, 'without a number')
      else if (value === 0) this.sink.leftOut(kind, 'zero, which stands for none')
      else if (!measure) this.sink.leftOut(kind, 'of a unit that is not known')
      else {
        this.sink.datum({
          kind,
          source: '',
          type: measure.type,
          stream,
          time,
          content: scaled(value, measure.factor),
          description: used.has('comments') ? undefined : row.get('comments')
        })
        used.add('comments')
      }
    }
    if (count === 0) this.sink.leftOut('weight', 'without a number')
    this.#rest(row, used)
  }

  /** Some rows hold a pulse alone: the empty cells beside it are no zeros. */
  #pressure(row: NamedRow): void {
    const time = isoTime(row.get('date') ?? '', this.zone)
    const names = ['systolic', 'diastolic', 'heart rate']
    const columns = names.map(name => [...row.keys()].find(column => plainName(column) === name))
    const [systolic, diastolic, rate] = columns.map(column =>
      column === undefined ? undefined : (numberOf(row.get(column)) ?? NaN)
    )
    const common = { source: '', time, description: row.get('comments') }
    const pressures = [systolic, diastolic].filter(value => value !== undefined)
    const isInMmhg = columns.slice(0, 2).every(column => /^(?:mmhg)?$/i.test(unitOf(column ?? '')))
    const isWhole = pressures.length === 2 && pressures.every(value => value > 0) && isInMmhg
    if (isWhole)
      this.sink.datum({
        ...common,
        kind: 'bp',
        type: 'blood-pressure/mmhg-bpm',
        stream: 'Blood pressure',
        content: { systolic, diastolic, ...(rate !== undefined && rate > 0 && { rate }) }
      })
    else if (pressures.length > 0)
      this.sink.leftOut(
        'bp',
        pressures.some(Number.isNaN)
          ? 'without a number'
          : pressures.includes(0)
            ? nothing
            : pressures.length === 1
              ? 'half of a measurement whose other half is missing'
              : 'in a unit without a type here'
      )
    const rateKind = pressures.length > 0 ? 'bp, heart rate' : 'bp'
    if (rate === undefined) {
      if (pressures.length === 0) this.sink.leftOut('bp', 'without a number')
    } else if (!(rate > 0)) this.sink.leftOut(rateKind, rate === 0 ? nothing : 'without a number')
    else if (!isWhole)
      this.sink.datum({
        ...common,
        kind: rateKind,
        type: 'frequency/bpm',
        stream: 'Heart rate',
        content: rate
      })
    this.#rest(row, new Set(['date', 'comments', ...columns.filter(column => column !== undefined)]))
  }

  #sleep(row: NamedRow): void {
    const [time, end] = this.#span(row)
    const numbers = [...row].flatMap(([name, cell]) => {
      const value = numberOf(cell)
      return value === undefined ? [] : [[name, value] as const]
    })
    const duration = end > time ? end - time : undefined
    const asleep = ['light (s)', 'deep (s)', 'rem (s)'].reduce(
      (sum, name) => sum + (numberOf(row.get(name)) ?? 0),
      0
    )
    const night = nightDatum({
      kind: 'sleep',
      time,
      duration,
      asleep,
      identity: `${end}`,
      clientData: { 'withings:sleep': Object.fromEntries(numbers) }
    })
    this.sink.datum(night)
    this.#rest(row, new Set(['from', 'to', 'timezone', ...numbers.map(([name]) => name)]))
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
    if (row.has('data') && !isObject(data)) this.sink.leftOut('activities, data', 'no valid JSON')
    this.#rest(row, new Set(['from', 'to', 'timezone', 'activity type', 'data']))
  }

  /** Names the cells of columns that are not read. */
  #rest(row: NamedRow, used: ReadonlySet<string>): void {
    for (const column of row.keys())
      if (!used.has(column)) this.sink.leftOut(`${this.kind}, ${column}`, 'in a column that is not mapped')
  }

  #span(row: NamedRow): [number, number] {
    const zone = zoneOf(row.get('timezone')) ?? this.zone
    return [isoTime(row.get('from') ?? '', zone), isoTime(row.get('to') ?? '', zone)]
  }
}
