/** Tables of separated values from anywhere: guessed by their headers and all of their rows, or mapped by the person. */
import { type Format, type Head, type Mapping, type Sink, type Source } from '../record.js'
import { RowScanner, tableTexts } from '../text/rows.js'
import { cellTime, dateOrdersOf, pressureOf, valueOfNumber, writtenNumber } from '../text/cells.js'
import { guessed, keyOf } from '../tables/guess.js'
import { findLayout, type Layout } from '../tables/layout.js'
import { isPossible, Survey } from '../text/survey.js'
import { isPlace } from './tracks.js'

/** Rows that are shown. */
const sampleSize = 10
const kind = 'row'
const broken = 'torn by a quote that does not close'
const pressure = 'blood-pressure/mmhg-bpm'

export const csv: Format = {
  id: 'csv',
  name: 'CSV',
  recognises: head => findLayout(head) !== undefined,
  async read(source, head, sink, context) {
    const { options } = context
    const layout = findLayout(head)!
    const { delimiter, records, skipped } = layout
    const columns = layout.columns ?? records[0]!.map((_cell, at) => `Column ${at + 1}`)
    const key = keyOf(columns)
    const mapping = options.mappings?.[key] ?? guessed(columns, records)
    const view = { header: key, columns, sample: records.slice(0, sampleSize), mapping }
    if (!mapping || mapping.values.length === 0) {
      context.table(view)
      const torn = await eachRow(source, head, layout, sink, () =>
        sink.leftOut(kind, 'in a table whose columns have not been mapped yet')
      )
      if (torn > 0) sink.leftOut(kind, broken, torn)
      return
    }
    const survey = new Survey(mapping, delimiter, options.zone)
    await eachRow(source, head, layout, { drained: () => undefined }, cells => survey.row(cells))
    const questions = survey.questions()
    context.table({ ...view, ...(questions.length > 0 && { questions }) })
    for (const { asks, cells, column } of questions) sink.warn(asked(asks, columns[column] ?? '', cells))
    const reader = new RowReader(mapping, survey, options.zone, sink, skipped)
    const torn = await eachRow(source, head, layout, sink, cells => reader.row(cells))
    if (torn > 0) sink.leftOut(kind, broken, torn)
  }
}

/** Reads all records. Returns how many of them had an unclosed quote. */
async function eachRow(
  source: Source,
  head: Head,
  { delimiter, skipped }: Layout,
  sink: Pick<Sink, 'drained'>,
  onRow: (cells: string[]) => void
): Promise<number> {
  let row = 0
  const scanner = new RowScanner(delimiter, cells => {
    if (row++ >= skipped) onRow(cells)
  })
  for await (const piece of tableTexts(source, head)) {
    scanner.write(piece)
    await sink.drained()
  }
  scanner.end()
  return scanner.broken
}

function asked(asks: 'dates' | 'decimals', name: string, [first = '']: readonly string[]): string {
  const column = JSON.stringify(name.slice(0, 100))
  return asks === 'dates'
    ? `Dates such as ${first} in ${column} may be of either order: they are left out until it is said which`
    : `Numbers such as ${first} in ${column} may have decimals or thousands: they are left out until it is said which`
}

/** Why a cell is left out. */
const reasons = {
  open: 'of a number that may have decimals or thousands',
  text: 'of a value that is no number',
  impossible: 'of a value that is impossible for what it measures'
} as const

/** What a cell holds: a value, why it cannot be told, or nothing at all. */
interface Cell {
  readonly value?: unknown
  readonly reason?: Reason
}

class RowReader {
  readonly #groups: { type: string; stream: string; parts: Mapping['values'] }[] = []

  constructor(
    private readonly mapping: Mapping,
    private readonly survey: Survey,
    private readonly zone: string | undefined,
    private readonly sink: Sink,
    /** Rows before the first. */
    private at: number
  ) {
    for (const part of mapping.values) {
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

  row(cells: readonly string[]): void {
    this.at++
    const { clock, end, source, time } = this.mapping
    const at = this.#time(cells[time], clock === undefined ? undefined : cells[clock])
    if (Number.isNaN(at)) {
      const isOpen = this.survey.order === undefined && dateOrdersOf(cells[time] ?? '').length > 1
      this.#leftOut(
        kind,
        isOpen ? 'of a date that may be of more than one order' : 'of a time that cannot be read'
      )
      return
    }
    let name: string = kind
    let until = NaN
    if (end !== undefined && (cells[end] ?? '').trim() !== '') until = this.#end(cells[end]!, end, at)
    const isEndLost = end !== undefined && (cells[end] ?? '').trim() !== '' && Number.isNaN(until)
    for (const { parts, stream, type } of this.#groups) {
      const { content, reasons: why } = this.#content(parts, cells)
      const isOff = content !== undefined && type === 'position/wgs84' && !isPosition(content)
      if (content !== undefined && !isOff) {
        this.sink.datum({
          kind: name,
          source: source === undefined ? '' : (cells[source] ?? '').trim(),
          type,
          stream,
          time: at,
          duration: until > at ? until - at : undefined,
          content
        })
        name = `${kind}, ${stream}`
      }
      for (const reason of isOff ? (['at coordinates beyond the earth'] as const) : why) {
        this.#leftOut(name, reason)
        name = `${kind}, ${stream}`
      }
    }
    if (name === kind) this.#leftOut(kind, 'without a number')
    else if (isEndLost) this.#leftOut(`${kind}, end`, 'of an end that cannot be read')
  }

  #leftOut(name: string, reason: Reason): void {
    this.sink.leftOut(name, reason, 1, this.at)
  }

  #time(cell = '', clock?: string): number {
    const { order } = this.survey
    if (order !== undefined) return cellTime(cell, clock, order, this.zone)
    const orders = dateOrdersOf(cell)
    const times = orders.map(each => cellTime(cell, clock, each, this.zone))
    if (times.length === 0) return cellTime(cell, clock, 'dmy', this.zone)
    return times.every(time => time === times[0]) ? times[0]! : NaN
  }

  /** A length in seconds, or a time. */
  #end(cell: string, column: number, start: number): number {
    const written = writtenNumber(cell)
    if (!written) return this.#time(cell)
    if (written.open && this.survey.decimalsOf(column) === undefined) return NaN
    const length = valueOfNumber(written, this.survey.decimalsOf(column))
    return length !== undefined && length < 1e7 ? start + length : this.#time(cell)
  }

  /** The content of a record, and why parts of it are missing. */
  #content(parts: Mapping['values'], cells: readonly string[]): { content?: unknown; reasons: Reason[] } {
    const why: Reason[] = []
    const content: Record<string, unknown> = {}
    let isEmpty = true
    for (const part of parts) {
      const { reason, value } = this.#value(part, cells[part.column] ?? '')
      if (reason !== undefined) why.push(reason)
      if (value === undefined) continue
      if (part.field === undefined) return { content: value, reasons: why }
      content[part.field] = value
      isEmpty = false
    }
    if (isEmpty) return { reasons: why }
    if (parts[0]!.type === 'position/wgs84' && !('latitude' in content && 'longitude' in content))
      return { reasons: why.length > 0 ? why : ['without a number'] }
    return { content, reasons: why }
  }

  /** An empty cell is not zero. */
  #value(part: Mapping['values'][number], cell: string): Cell {
    const { column, factor, field, type } = part
    const text = cell.trim()
    if (text === '') return {}
    if (type.startsWith('note/')) return { value: text }
    if (type === pressure && field === undefined) {
      const value = pressureOf(text)
      return value ? { value } : { reason: 'of a value that is no blood pressure' }
    }
    const written = writtenNumber(text)
    if (!written) return { reason: reasons.text }
    const decimals = this.survey.decimalsOf(column)
    if (written.open && decimals === undefined) return { reason: reasons.open }
    const plain = valueOfNumber(written, decimals)
    if (plain === undefined) return { reason: reasons.text }
    const value = factor === undefined || factor === 1 ? plain : Number((plain * factor).toPrecision(12))
    if (type !== 'position/wgs84' && !isPossible(part, value)) return { reason: reasons.impossible }
    return { value }
  }
}

function isPosition(content: unknown): boolean {
  const { latitude, longitude } = content as { latitude?: number; longitude?: number }
  return isPlace(latitude, longitude)
}
