/** Reads Polar Flow's CSV of a training session: a row about the session, then samples by seconds from its start. */
import type { SkipReason } from '../../skip-reasons.js'
import type { Format, Sink } from '../../record.js'
import { RowScanner, readTableText } from '../../text/row-scanner.js'
import { toTime } from '../../text/times.js'
import { findMeasure, parseNumber, scaleValue } from '../../text/units.js'
import { TrackWriter, type MeasureName } from '../track-writer.js'

const kind = 'exercise'

export const polarCsv: Format = {
  id: 'polar',
  name: 'Polar',
  recognises: ({ text }) =>
    text.startsWith('Name,Sport,Date,Start time,Duration,') && /\nSample rate,Time,/.test(text),
  async read(source, head, sink, { options }) {
    const reader = new PolarCsvReader(sink, options.zone, head.name)
    const scanner = new RowScanner(',', cells => reader.addRow(cells))
    for await (const chunk of readTableText(source, head)) {
      scanner.write(chunk)
    }
    scanner.finish()
    if (scanner.brokenCount > 0)
      sink.skip('sample', 'torn by a quote that does not close', scanner.brokenCount)
  }
}

/** Measures by the names of their columns without units, as in Polar's JSON export. */
const measuresByColumn: Readonly<Record<string, MeasureName>> = {
  HR: 'heartRate',
  Speed: 'speed',
  Cadence: 'cadence',
  Altitude: 'altitude',
  Distances: 'distance',
  Temperatures: 'temperature',
  Power: 'power'
}
/** Factors that convert units to metres, metres per second, beats or revolutions per minute, degrees Celsius and watts. */
const unitFactors: Readonly<Record<string, number>> = {
  'frequency/bpm': 1,
  'frequency/rpm': 1,
  'length/m': 1,
  'length/km': 1000,
  'length/ft': 0.3048,
  'length/mi': 1609.344,
  'speed/m-s': 1,
  'speed/km-h': 1 / 3.6,
  'speed/mph': 0.44704,
  'temperature/c': 1,
  'power/w': 1
}
/** Columns of the session with their own handling, and those about the person. */
const sessionColumns: ReadonlySet<string> = new Set(['Sport', 'Date', 'Start time', 'Duration', 'Notes'])
const personColumns = /^(?:Name|Height|Weight|HR max|HR sit|VO2max)\b/
const clockPattern = /^(\d{1,3}):(\d\d):(\d\d)(?:\.\d+)?$/

class PolarCsvReader {
  #header: readonly string[] = []
  #isSession = false
  /** Start of the session (seconds), or the reason why it is unknown. */
  #start: number | SkipReason = 'without a time'
  #track: TrackWriter

  constructor(
    private readonly sink: Sink,
    private readonly zone: string | undefined,
    private readonly name: string
  ) {
    this.#track = new TrackWriter(sink, '')
  }

  /** Reads one row: a header, the session, or a sample. */
  addRow(cells: readonly string[]): void {
    const isSession = cells[0] === 'Name' && cells[1] === 'Sport'
    if (isSession || (cells[0] === 'Sample rate' && cells[1] === 'Time')) {
      this.#header = cells
      this.#isSession = isSession
    } else if (this.#isSession) this.#addSession(cells)
    else this.#addSamples(cells)
  }

  /**
   * Begins a session: adds its activity and notes, and the track for its samples. Details of the person are skipped.
   */
  #addSession(cells: readonly string[]): void {
    const cellsWithHeader = cells.slice(0, this.#header.length)
    const values = new Map(cellsWithHeader.map((cell, index) => [this.#header[index]!, cell.trim()]))
    this.#track = new TrackWriter(this.sink, '')
    this.#start = this.#parseStart(values)
    const sport = values.get('Sport') ?? ''
    const details: Record<string, unknown> = { sport }
    for (const [name, cell] of values) {
      if (name === '' || cell === '' || sessionColumns.has(name)) continue
      if (personColumns.test(name)) this.sink.skip(`${kind} ${name}`, 'a description of the person')
      else details[name] = parseNumber(cell) ?? cell
    }
    const start = this.#start
    const notes = values.get('Notes') ?? ''
    if (typeof start === 'string') {
      this.sink.skip(kind, start)
      if (notes !== '') this.sink.skip('notes', start)
      return
    }
    const end = start + parseSeconds(values.get('Duration') ?? '')
    this.#track.addActivity({
      kind,
      name: sport.toLowerCase().replaceAll('_', ' '),
      start,
      end,
      clientData: {
        'polar:exercise': details
      }
    })
    if (notes !== '')
      this.sink.addRecord({
        kind: 'notes',
        source: '',
        type: 'note/txt',
        stream: 'Notes',
        time: start,
        content: notes
      })
  }

  /** Parses the start of the session. The day comes first if the year does not; only files in miles may use another order. */
  #parseStart(values: ReadonlyMap<string, string>): number | SkipReason {
    const parts = /^(\d{1,4})[-./](\d{1,2})[-./](\d{1,4})$/.exec(values.get('Date') ?? '')
    const time = clockPattern.exec(values.get('Start time') ?? '')
    if (!parts || !time) return 'of a time that cannot be read'
    const [first, second, third] = parts.slice(1).map(Number) as [number, number, number]
    const [hour, minute, seconds] = time.slice(1).map(Number) as [number, number, number]
    const orders: readonly (readonly [number, number, number])[] =
      first > 31
        ? [[first, second, third]]
        : second === first
          ? [[third, second, first]]
          : [
              [third, second, first],
              [third, first, second]
            ]
    const dates = orders.filter(date => !Number.isNaN(toTime([...date, hour, minute, seconds])))
    // Files are named after their time.
    const digits = this.name.replaceAll(/\D/g, '')
    const named = dates.filter(date =>
      digits.includes(date.map(part => String(part).padStart(2, '0')).join(''))
    )
    const [date, other] = named.length > 0 ? named : dates
    if (!date) return 'of a time that cannot be read'
    const isInMiles = [...values.keys()].some(name => /\((?:min\/)?mi|mph/.test(name))
    if (other && isInMiles) return 'of a date that may be of more than one order'
    return toTime([...date, hour, minute, seconds], 0, undefined, this.zone)
  }

  /** Adds each value of a row as a record. */
  #addSamples(cells: readonly string[]): void {
    const offset = parseSeconds(cells[1] ?? '')
    const start = this.#start
    // A header may have thousands of names, and rows only one cell.
    for (const [index, each] of cells.slice(0, this.#header.length).entries()) {
      const [column, cell] = [this.#header[index]!, each.trim()]
      if (index < 2 || cell === '') continue
      const sampleKind = `sample ${column}`
      const [name = '', unit] = column.split(/ ?[()]/)
      const measure = Object.hasOwn(measuresByColumn, name) ? measuresByColumn[name] : undefined
      const value = parseNumber(cell)
      const factor = unit === undefined ? 1 : unitFactors[findMeasure(unit)?.type ?? '']
      if (typeof start === 'string') this.sink.skip(sampleKind, start)
      else if (Number.isNaN(offset)) this.sink.skip(sampleKind, 'of a time that cannot be read')
      else if (measure === undefined) this.sink.skip(sampleKind, 'of a kind without a type here')
      else if (value === undefined) this.sink.skip(sampleKind, 'without a number')
      else if (factor !== undefined)
        this.#track.addValue(sampleKind, start + offset, measure, scaleValue(value, factor))
      else if (unit === 'F')
        this.#track.addValue(
          sampleKind,
          start + offset,
          measure,
          Number(((value - 32) / 1.8).toPrecision(12))
        )
      else this.sink.skip(sampleKind, 'in a unit without a type here')
    }
  }
}

/** Parses a duration such as `01:02:03` into seconds; returns `NaN` for anything else. */
function parseSeconds(cell: string): number {
  const parts = clockPattern.exec(cell.trim())
  if (!parts) return NaN
  const [hours, minutes, seconds] = parts.slice(1).map(Number) as [number, number, number]
  return hours * 3600 + minutes * 60 + seconds
}
