/** Polar Flow's CSV of a training session: a row about the session, then its samples, in seconds from its start. */
import type { Reason } from '../../reasons.js'
import type { Format, Sink } from '../../record.js'
import { RowScanner, tableTexts } from '../../text/rows.js'
import { timeOf } from '../../text/times.js'
import { measureOf, numberOf, scaled } from '../../text/units.js'
import { Track, type Measured } from '../tracks.js'

const kind = 'exercise'

export const polarCsv: Format = {
  id: 'polar',
  name: 'Polar',
  recognises: ({ text }) =>
    text.startsWith('Name,Sport,Date,Start time,Duration,') && /\nSample rate,Time,/.test(text),
  async read(source, head, sink, { options }) {
    const reader = new Reader(sink, options.zone, head.name)
    const scanner = new RowScanner(',', cells => reader.row(cells))
    for await (const piece of tableTexts(source, head)) {
      scanner.write(piece)
    }
    scanner.end()
    if (scanner.broken > 0) sink.leftOut('sample', 'torn by a quote that does not close', scanner.broken)
  }
}

/** Samples by the names of their columns without units, as the JSON of an account names what they measure. */
const samples: Readonly<Record<string, Measured>> = {
  HR: 'heartRate',
  Speed: 'speed',
  Cadence: 'cadence',
  Altitude: 'altitude',
  Distances: 'distance',
  Temperatures: 'temperature',
  Power: 'power'
}
/** What values of a unit are multiplied by to become metres, metres a second, beats, turns and watts. */
const factors: Readonly<Record<string, number>> = {
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
/** Columns of the session that are read by themselves, and those about the person. */
const own: ReadonlySet<string> = new Set(['Sport', 'Date', 'Start time', 'Duration', 'Notes'])
const ofPerson = /^(?:Name|Height|Weight|HR max|HR sit|VO2max)\b/
const clock = /^(\d{1,3}):(\d\d):(\d\d)(?:\.\d+)?$/

class Reader {
  #header: readonly string[] = []
  #isSession = false
  /** When the session began, or why that is not known. */
  #start: number | Reason = 'without a time'
  #track: Track

  constructor(
    private readonly sink: Sink,
    private readonly zone: string | undefined,
    private readonly name: string
  ) {
    this.#track = new Track(sink, '')
  }

  row(cells: readonly string[]): void {
    const isSession = cells[0] === 'Name' && cells[1] === 'Sport'
    if (isSession || (cells[0] === 'Sample rate' && cells[1] === 'Time')) {
      this.#header = cells
      this.#isSession = isSession
    } else if (this.#isSession) this.#session(cells)
    else this.#sample(cells)
  }

  #session(cells: readonly string[]): void {
    const known = cells.slice(0, this.#header.length)
    const values = new Map(known.map((cell, at) => [this.#header[at]!, cell.trim()]))
    this.#track = new Track(this.sink, '')
    this.#start = this.#startOf(values)
    const sport = values.get('Sport') ?? ''
    const told: Record<string, unknown> = { sport }
    for (const [name, cell] of values) {
      if (name === '' || cell === '' || own.has(name)) continue
      if (ofPerson.test(name)) this.sink.leftOut(`${kind} ${name}`, 'a description of the person')
      else told[name] = numberOf(cell) ?? cell
    }
    const start = this.#start
    const notes = values.get('Notes') ?? ''
    if (typeof start === 'string') {
      this.sink.leftOut(kind, start)
      if (notes !== '') this.sink.leftOut('notes', start)
      return
    }
    const end = start + secondsOf(values.get('Duration') ?? '')
    this.#track.activity(kind, sport.toLowerCase().replaceAll('_', ' '), start, end, {
      'polar:exercise': told
    })
    if (notes !== '')
      this.sink.datum({
        kind: 'notes',
        source: '',
        type: 'note/txt',
        stream: 'Notes',
        time: start,
        content: notes
      })
  }

  /** The day stands first where the year does not; only files in miles may be written another way. */
  #startOf(values: ReadonlyMap<string, string>): number | Reason {
    const parts = /^(\d{1,4})[-./](\d{1,2})[-./](\d{1,4})$/.exec(values.get('Date') ?? '')
    const time = clock.exec(values.get('Start time') ?? '')
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
    const dates = orders.filter(date => !Number.isNaN(timeOf([...date, hour, minute, seconds])))
    // A file is called after its time.
    const digits = this.name.replaceAll(/\D/g, '')
    const named = dates.filter(date =>
      digits.includes(date.map(part => String(part).padStart(2, '0')).join(''))
    )
    const [date, other] = named.length > 0 ? named : dates
    if (!date) return 'of a time that cannot be read'
    const isInMiles = [...values.keys()].some(name => /\((?:min\/)?mi|mph/.test(name))
    if (other && isInMiles) return 'of a date that may be of more than one order'
    return timeOf([...date, hour, minute, seconds], 0, undefined, this.zone)
  }

  /** Each value is a record. */
  #sample(cells: readonly string[]): void {
    const after = secondsOf(cells[1] ?? '')
    const start = this.#start
    // A header may have thousands of names above rows of one cell.
    for (const [at, each] of cells.slice(0, this.#header.length).entries()) {
      const [column, cell] = [this.#header[at]!, each.trim()]
      if (at < 2 || cell === '') continue
      const sampleKind = `sample ${column}`
      const [name = '', unit] = column.split(/ ?[()]/)
      const measured = Object.hasOwn(samples, name) ? samples[name] : undefined
      const value = numberOf(cell)
      const factor = unit === undefined ? 1 : factors[measureOf(unit)?.type ?? '']
      if (typeof start === 'string') this.sink.leftOut(sampleKind, start)
      else if (Number.isNaN(after)) this.sink.leftOut(sampleKind, 'of a time that cannot be read')
      else if (measured === undefined) this.sink.leftOut(sampleKind, 'of a kind without a type here')
      else if (value === undefined) this.sink.leftOut(sampleKind, 'without a number')
      else if (factor !== undefined)
        this.#track.measure(sampleKind, start + after, measured, scaled(value, factor))
      else if (unit === 'F')
        this.#track.measure(sampleKind, start + after, measured, Number(((value - 32) / 1.8).toPrecision(12)))
      else this.sink.leftOut(sampleKind, 'in a unit without a type here')
    }
  }
}

/** Seconds of `01:02:03`; `NaN` for anything else. */
function secondsOf(cell: string): number {
  const parts = clock.exec(cell.trim())
  if (!parts) return NaN
  const [hours, minutes, seconds] = parts.slice(1).map(Number) as [number, number, number]
  return hours * 3600 + minutes * 60 + seconds
}
