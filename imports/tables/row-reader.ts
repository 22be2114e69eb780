/** Makes records of the rows of a table, and tells what is left of them. */
import type { Reason } from '../reasons.js'
import type { ColumnMapping, Decimals, Mapping, Sink } from '../record.js'
import { pressureOf, valueOfNumber, writtenNumber } from '../text/cells.js'
import { clockLength, isPossible, type Numbers, type Survey } from '../text/survey.js'
import { measureOf, scaled, type Measure } from '../text/units.js'
import { measureIn } from './units.js'
import { foldName } from './names.js'
import { isDateAlone, type RowTimes } from './row-times.js'

export const kind = 'row'
const pressure = 'blood-pressure/mmhg-bpm'
/** Records of days that are told apart. */
const mostDays = 200_000

/** Why a cell is left out. */
const reasons = {
  open: 'of a number that may have decimals or thousands',
  text: 'of a value that is no number',
  fraction: 'of a number that may be a fraction or a percentage',
  impossible: 'of a value that is impossible for what it measures',
  zero: 'zero, which means that nothing was measured',
  unit: 'in a unit without a type here',
  code: 'of a kind without a type here'
} as const

/** What a cell holds: a value, why it cannot be told, or nothing at all. */
interface Cell {
  readonly value?: unknown
  readonly reason?: Reason
  /** The type where the cell names another one. */
  readonly type?: string
}

interface Content {
  readonly content?: unknown
  readonly type?: string
  readonly reasons: readonly Reason[]
}

interface Group {
  readonly type: string
  readonly stream: string
  parts: readonly ColumnMapping[]
}

/** Where a table stands, and what its columns are. */
interface TablePlace {
  readonly columns: readonly string[]
  /** The first column of those of which each row has one alone. */
  readonly firstMeasure?: number | undefined
  /** Rows before the first. */
  readonly skipped: number
  /** Cells that a row has at most. */
  readonly width: number
}

export class RowReader {
  readonly #groups: Group[] = []
  readonly #used: ReadonlySet<number | undefined>
  /** Cells of columns that are not mapped. */
  readonly #unused = new Map<number, number>()
  /** How often a record was there in its day. */
  readonly #days = new Map<string, number>()
  /** The row, from 1. */
  #at: number
  #numbers: Numbers | undefined

  constructor(
    private readonly mapping: Mapping,
    private readonly survey: Survey,
    private readonly times: RowTimes,
    private readonly sink: Sink,
    private readonly table: TablePlace
  ) {
    this.#at = table.skipped
    const { clock, description, end, source, time, values, zoneColumn } = mapping
    this.#used = new Set([
      clock,
      description,
      end,
      source,
      time,
      zoneColumn,
      ...values.map(({ column }) => column)
    ])
    for (const part of values) {
      const known = this.#groups.find(
        ({ parts, stream, type }) =>
          part.field !== undefined &&
          parts[0]!.field !== undefined &&
          type === part.type &&
          stream === part.stream
      )
      if (known) known.parts = [...known.parts, part]
      else this.#groups.push({ type: part.type, stream: part.stream, parts: [part] })
    }
  }

  /** `numbers` are the cells that are numbers with a point before their decimals, whatever others are written like. */
  row(cells: readonly string[], at = this.#at + 1, numbers?: Numbers): void {
    this.#at = at
    this.#numbers = numbers
    const found = this.times.of(cells)
    if (cells.every(cell => cell.trim() === '')) {
      this.#leftOut(kind, 'empty')
      return
    }
    if (cells.length > this.table.width) {
      this.#leftOut(kind, 'of more cells than the header has names')
      return
    }
    const unknown = this.#unknownMeasure(cells)
    if (unknown !== undefined) {
      this.#leftOut(`${kind}, ${unknown}`, reasons.code)
      return
    }
    this.#countUnused(cells)
    if ('reason' in found) {
      this.#leftOut(kind, found.reason)
      return
    }
    const { time } = found
    const { description, end, source } = this.mapping
    const ending = end === undefined ? '' : (cells[end] ?? '').trim()
    const until = ending === '' ? NaN : this.#end(ending, end!, time, found.zone)
    const isDay =
      time % 900 === 0 &&
      isDateAlone(cells[this.mapping.time] ?? '', this.#clock(cells), this.survey.order ?? 'dmy')
    const about = description === undefined ? undefined : (cells[description] ?? '').trim() || undefined
    let name: string = kind
    for (const { parts, stream, type } of this.#groups) {
      const { content, reasons: why, type: own = type } = this.#content(parts, cells)
      if (content !== undefined) {
        const isActivity = own === 'activity/plain'
        const text = isActivity ? (content as string) : about
        const from = source === undefined ? '' : (cells[source] ?? '').trim()
        this.sink.datum({
          kind: name,
          source: from,
          type: own,
          stream,
          time,
          duration: until > time ? until - time : undefined,
          content: isActivity ? undefined : content,
          ...(text !== undefined && { description: text }),
          ...this.#identity(content, text, isDay ? `${time} ${own} ${stream} ${from}` : undefined)
        })
        name = `${kind}, ${stream}`
      }
      for (const reason of why) {
        this.#leftOut(name, reason)
        name = `${kind}, ${stream}`
      }
    }
    if (name === kind) this.#leftOut(kind, 'without a number')
    else if (ending !== '' && Number.isNaN(until))
      this.#leftOut(`${kind}, end`, 'of an end that cannot be read')
  }

  /** Tells how many cells each column has that is not mapped. */
  finish(): void {
    const { columns } = this.table
    for (const [at, count] of [...this.#unused].toSorted(([a], [b]) => a - b))
      this.sink.leftOut(`column ${columns[at] ?? at + 1}`, 'in a column that is not mapped', count)
  }

  #leftOut(name: string, reason: Reason): void {
    this.sink.leftOut(name, reason, 1, this.#at)
  }

  /** The name of the measure of a row, if it has one that is not mapped. */
  #unknownMeasure(cells: readonly string[]): string | undefined {
    const { columns, firstMeasure = Infinity } = this.table
    for (let at = firstMeasure; at < cells.length; at++)
      if (!this.#used.has(at) && cells[at]!.trim() !== '') return columns[at]
    return undefined
  }

  #clock(cells: readonly string[]): string | undefined {
    return this.mapping.clock === undefined ? undefined : cells[this.mapping.clock]
  }

  #countUnused(cells: readonly string[]): void {
    for (const [at, cell] of cells.entries())
      if (!this.#used.has(at) && cell.trim() !== '') this.#unused.set(at, (this.#unused.get(at) ?? 0) + 1)
  }

  /** Records of one time are told apart by what is said of them; two equal ones of one day are two. */
  #identity(content: unknown, text: string | undefined, day: string | undefined): { identity?: string } {
    const own = text === undefined ? JSON.stringify(content) : `${JSON.stringify(content)} ${text}`
    if (this.#days.size > mostDays) this.#days.clear()
    const count = day === undefined ? 1 : (this.#days.get(`${day} ${own}`) ?? 0) + 1
    if (day !== undefined) this.#days.set(`${day} ${own}`, count)
    if (count > 1) return { identity: `${own} ${count}` }
    return text === undefined ? {} : { identity: own }
  }

  /** A length, or a time. */
  #end(cell: string, column: number, start: number, zone: string | undefined): number {
    const parts = clockLength.exec(cell)
    if (parts) return start + Number(parts[1]) * 3600 + Number(parts[2]) * 60 + Number(parts[3])
    const written = writtenNumber(cell)
    if (!written || /^\d{8}$/.test(cell)) return this.times.end(cell, start, zone)
    const decimals = this.#decimalsOf(column)
    if (written.open && decimals === undefined) return NaN
    const length = valueOfNumber(written, decimals)
    const ofUnit = written.measure === undefined ? undefined : secondsOf(written.measure)
    if (written.measure ? ofUnit === undefined : !this.survey.hasCountedLengths) return NaN
    return length !== undefined && length < 1e7
      ? start + scaled(length, ofUnit ?? this.mapping.endFactor)
      : this.times.end(cell, start, zone)
  }

  /** The content of a record, and why parts of it are missing. */
  #content(parts: readonly ColumnMapping[], cells: readonly string[]): Content {
    const why: Reason[] = []
    const content: Record<string, unknown> = {}
    let isEmpty = true
    for (const part of parts) {
      const { reason, type, value } = this.#value(part, cells[part.column] ?? '')
      if (reason !== undefined) why.push(reason)
      if (value === undefined) continue
      if (part.field === undefined)
        return { content: value, reasons: why, ...(type !== undefined && { type }) }
      content[part.field] = value
      isEmpty = false
    }
    if (isEmpty) return { reasons: why }
    if (
      parts[0]!.type === pressure &&
      (content['systolic'] === undefined || content['diastolic'] === undefined)
    )
      return { reasons: why.length > 0 ? why : ['half of a measurement whose other half is missing'] }
    if (parts[0]!.type === 'position/wgs84') {
      const { latitude, longitude } = content as { latitude?: number; longitude?: number }
      if (latitude === undefined || longitude === undefined)
        return { reasons: why.length > 0 ? why : ['without a number'] }
      if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180)
        return { reasons: ['at coordinates beyond the earth'] }
    }
    return { content, reasons: why }
  }

  /** An empty cell is not zero. */
  #value(part: ColumnMapping, cell: string): Cell {
    const { codes, field, type } = part
    const text = cell.trim()
    if (text === '') return {}
    if (codes) return codeIn(part, text)
    if (type.startsWith('note/') || type === 'activity/plain' || type === 'mood/emoticon')
      return { value: text }
    if (type === pressure && field === undefined) {
      const value = pressureOf(text)
      return value ? { value } : { reason: 'of a value that is no blood pressure' }
    }
    return this.#number(part, text)
  }

  #number(part: ColumnMapping, text: string): Cell {
    const written = writtenNumber(text)
    if (!written) return { reason: reasons.text }
    const decimals = this.#decimalsOf(part.column)
    if (written.open && decimals === undefined) return { reason: reasons.open }
    const plain = valueOfNumber(written, decimals)
    if (plain === undefined) return { reason: reasons.text }
    if (plain === 0 && part.skipsZero) return { reason: reasons.zero }
    const measure = text.trim().endsWith('%') ? measureOf('%') : written.measure
    if (!measure && this.survey.mayBeFraction(part, plain)) return { reason: reasons.fraction }
    const own = measure ? measureIn(part, measure) : { type: part.type, factor: part.factor }
    if (!own) return { reason: reasons.unit }
    const value = scaled(plain, own.factor)
    const measured = own.type === part.type ? part : { ...part, type: own.type }
    if (part.type !== 'position/wgs84' && !isPossible(measured, value)) return { reason: reasons.impossible }
    return { value, ...(own.type !== part.type && { type: own.type }) }
  }

  #decimalsOf(column: number): Decimals | undefined {
    return this.#numbers?.[column] ? 'point' : this.survey.decimalsOf(column)
  }
}

/** What a code stands for. A mood without one is kept in words. */
function codeIn({ codes, type }: ColumnMapping, text: string): Cell {
  const code = foldName(text)
  if (Object.hasOwn(codes!, code)) return { value: codes![code] }
  if (Object.hasOwn(codes!, '*')) return { value: codes!['*'] }
  return type === 'mood/rating' || type === 'activity/plain'
    ? { value: text, ...(type === 'mood/rating' && { type: 'note/txt' }) }
    : { reason: reasons.code }
}

/** Seconds of a unit of time. */
function secondsOf({ type }: Measure): number | undefined {
  return { 'time/ms': 0.001, 'time/s': 1, 'time/min': 60, 'time/h': 3600, 'time/d': 86_400 }[type]
}
