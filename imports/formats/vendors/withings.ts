/** Reads Withings' export: tables of scales, blood pressure monitors and watches, detected by their headers. */
import type { Format, FileHead, Sink } from '../../record.js'
import { parseJson } from '../../text/object-scanner.js'
import { parseIsoTime } from '../../text/times.js'
import { findZone } from '../../text/zones.js'
import { toLookupMap, isObject } from '../json-files.js'
import { buildNightRecord } from '../../night-record.js'
import { RawReader } from './withings-raw.js'
import { readColumnNames, readNamedRows, type NamedRow } from '../../text/named-tables.js'
import { findMeasure, parseNumber, scaleValue } from '../../text/units.js'

type TableKind = 'weight' | 'bp' | 'sleep' | 'activities' | 'raw'

/** Columns that identify each kind of table. */
const headersByKind: Readonly<Record<TableKind, readonly string[]>> = {
  weight: ['date', 'weight', 'fat mass', 'bone mass', 'muscle mass', 'hydration'],
  bp: ['date', 'heart rate', 'systolic', 'diastolic', 'comments'],
  sleep: ['from', 'to', 'light (s)', 'deep (s)', 'awake (s)'],
  activities: ['from', 'to', 'timezone', 'activity type', 'data'],
  raw: ['start', 'duration', 'value']
}

export const withings: Format = {
  id: 'withings',
  name: 'Withings',
  recognises: head => detectKind(head) !== undefined,
  async read(source, head, sink, { options }) {
    const kind = detectKind(head)!
    const reader =
      kind === 'raw'
        ? new RawReader(head.name, sink, options.zone)
        : new WithingsReader(kind, sink, options.zone)
    await readNamedRows(source, head, ',', kind, sink, row => reader.addRow(row))
  }
}

function detectKind(head: FileHead): TableKind | undefined {
  const columns = new Set(
    readColumnNames(head, ',').map(name => (name.endsWith('(s)') ? name : removeUnit(name)))
  )
  const kind = (Object.keys(headersByKind) as TableKind[]).find(each =>
    headersByKind[each].every(name => columns.has(name))
  )
  if (kind !== 'raw') return kind
  // Lists of durations and values, which no other app writes.
  const [, second = ''] = head.text.split('\n', 2)
  return columns.size === 3 && /,"?\[[^[\]]*\]"?,"?\[/.test(second) ? kind : undefined
}

/** Returns the name of a column without its unit. */
function removeUnit(name: string): string {
  const start = findUnitStart(name)
  return start < 0 ? name : name.slice(0, start).trimEnd()
}

/** Returns the unit in brackets at the end of a name; an empty string if there is none. */
function getUnit(name: string): string {
  const start = findUnitStart(name)
  return start < 0 ? '' : name.slice(start + 1, -1)
}

/** Returns the index of the bracket before the unit; -1 if the name has no unit. */
function findUnitStart(name: string): number {
  return name.endsWith(')') ? name.lastIndexOf('(') : -1
}

/** Streams of a scale's columns. */
const streamsByColumn = toLookupMap({
  weight: 'Weight',
  'fat mass': 'Fat mass',
  'bone mass': 'Bone mass',
  'muscle mass': 'Muscle mass',
  hydration: 'Body water'
})

const notMeasured = 'zero, which means that nothing was measured'

class WithingsReader {
  constructor(
    private readonly kind: Exclude<TableKind, 'raw'>,
    private readonly sink: Sink,
    private readonly zone: string | undefined
  ) {}

  /** Reads one row, according to the kind of file. */
  addRow(row: NamedRow): void {
    if (this.kind === 'weight') this.#addWeight(row)
    else if (this.kind === 'bp') this.#addPressure(row)
    else if (this.kind === 'sleep') this.#addNight(row)
    else this.#addActivity(row)
  }

  /** Adds each value as a record. The row's comment becomes that of the first imported record. */
  #addWeight(row: NamedRow): void {
    const time = parseIsoTime(row.get('date') ?? '', this.zone)
    const readColumns = new Set(['date'])
    let count = 0
    for (const [column, cell] of row) {
      const stream = streamsByColumn.get(removeUnit(column))
      if (stream === undefined) continue
      readColumns.add(column)
      const kind = count++ === 0 ? 'weight' : `weight, ${stream.toLowerCase()}`
      const measure = findMeasure(getUnit(column))
      const value = parseNumber(cell)
      if (value === undefined) this.sink.skip(kind, 'without a number')
      else if (value === 0) this.sink.skip(kind, 'zero, which stands for none')
      else if (!measure) this.sink.skip(kind, 'of a unit that is not known')
      else {
        this.sink.addRecord({
          kind,
          source: '',
          type: measure.type,
          stream,
          time,
          content: scaleValue(value, measure.factor),
          description: readColumns.has('comments') ? undefined : row.get('comments')
        })
        readColumns.add('comments')
      }
    }
    if (count === 0) this.sink.skip('weight', 'without a number')
    this.#skipOthers(row, readColumns)
  }

  /** Adds a row with a blood pressure, a heart rate or both. Empty cells beside a heart rate are not zeros. */
  #addPressure(row: NamedRow): void {
    const time = parseIsoTime(row.get('date') ?? '', this.zone)
    const names = ['systolic', 'diastolic', 'heart rate']
    const columns = names.map(name => [...row.keys()].find(column => removeUnit(column) === name))
    const [systolic, diastolic, rate] = columns.map(column =>
      column === undefined ? undefined : (parseNumber(row.get(column)) ?? NaN)
    )
    const common = { source: '', time, description: row.get('comments') }
    const pressures = [systolic, diastolic].filter(value => value !== undefined)
    const isInMmhg = columns.slice(0, 2).every(column => /^(?:mmhg)?$/i.test(getUnit(column ?? '')))
    const isCompletePressure = pressures.length === 2 && pressures.every(value => value > 0) && isInMmhg
    if (isCompletePressure)
      this.sink.addRecord({
        ...common,
        kind: 'bp',
        type: 'blood-pressure/mmhg-bpm',
        stream: 'Blood pressure',
        content: { systolic, diastolic, ...(rate !== undefined && rate > 0 && { rate }) }
      })
    else if (pressures.length > 0)
      this.sink.skip(
        'bp',
        pressures.some(Number.isNaN)
          ? 'without a number'
          : pressures.includes(0)
            ? notMeasured
            : pressures.length === 1
              ? 'half of a measurement whose other half is missing'
              : 'in a unit without a type here'
      )
    const rateKind = pressures.length > 0 ? 'bp, heart rate' : 'bp'
    if (rate === undefined) {
      if (pressures.length === 0) this.sink.skip('bp', 'without a number')
    } else if (!(rate > 0)) this.sink.skip(rateKind, rate === 0 ? notMeasured : 'without a number')
    else if (!isCompletePressure)
      this.sink.addRecord({
        ...common,
        kind: rateKind,
        type: 'frequency/bpm',
        stream: 'Heart rate',
        content: rate
      })
    this.#skipOthers(row, new Set(['date', 'comments', ...columns.filter(column => column !== undefined)]))
  }

  /** Adds a night with the seconds of its stages. */
  #addNight(row: NamedRow): void {
    const [time, end] = this.#parseTimeRange(row)
    const numbers = [...row].flatMap(([name, cell]) => {
      const value = parseNumber(cell)
      return value === undefined ? [] : [[name, value] as const]
    })
    const duration = end > time ? end - time : undefined
    const asleep = ['light (s)', 'deep (s)', 'rem (s)'].reduce(
      (sum, name) => sum + (parseNumber(row.get(name)) ?? 0),
      0
    )
    const night = buildNightRecord({
      kind: 'sleep',
      time,
      duration,
      asleep,
      identity: `${end}`,
      clientData: { 'withings:sleep': Object.fromEntries(numbers) }
    })
    this.sink.addRecord(night)
    this.#skipOthers(row, new Set(['from', 'to', 'timezone', ...numbers.map(([name]) => name)]))
  }

  /** Adds an activity with its data, which is JSON in a cell. */
  #addActivity(row: NamedRow): void {
    const [time, end] = this.#parseTimeRange(row)
    const name = row.get('activity type') ?? ''
    const data = parseJson(row.get('data') ?? '')
    this.sink.addRecord({
      kind: 'activities',
      source: '',
      type: 'activity/plain',
      stream: 'Activities',
      time,
      duration: end > time ? end - time : undefined,
      identity: name,
      description: name === '' ? undefined : name,
      zone: findZone(row.get('timezone')),
      clientData: isObject(data) ? { 'withings:activity': data } : undefined
    })
    if (row.has('data') && !isObject(data)) this.sink.skip('activities, data', 'no valid JSON')
    this.#skipOthers(row, new Set(['from', 'to', 'timezone', 'activity type', 'data']))
  }

  /** Counts as skipped the cells of columns that are not in `readColumns`. */
  #skipOthers(row: NamedRow, readColumns: ReadonlySet<string>): void {
    for (const column of row.keys())
      if (!readColumns.has(column))
        this.sink.skip(`${this.kind}, ${column}`, 'in a column that is not mapped')
  }

  #parseTimeRange(row: NamedRow): [number, number] {
    const zone = findZone(row.get('timezone')) ?? this.zone
    return [parseIsoTime(row.get('from') ?? '', zone), parseIsoTime(row.get('to') ?? '', zone)]
  }
}
