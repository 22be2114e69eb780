/** Tables of separated values from anywhere: guessed by their headers and all of their rows, or mapped by the person. */
import { type Format, type Head, type Mapping, type Sink, type Source } from '../record.js'
import { textsOf } from '../text/decode.js'
import { delimiterOf, RowScanner } from '../text/rows.js'
import { dateOrderOf, guessed, headerOf, keyOf } from './csv-guess.js'
import { cellTime, decimal } from './csv-cells.js'
import { isPlace } from './tracks.js'

/** Rows that are shown. */
const sampleSize = 10
/** Columns of a table at most. */
const mostColumns = 2000
const kind = 'row'

export const csv: Format = {
  id: 'csv',
  name: 'CSV',
  recognises: head => isTable(head),
  async read(source, head, sink, context) {
    const { options } = context
    const delimiter = delimiterOf(wholeLines(head))
    const first = firstRows(head, delimiter)
    const columns = headerOf(first)
    const sample = first.slice(columns ? 1 : 0)
    const names = columns ?? first[0]!.map((_cell, at) => `Column ${at + 1}`)
    const key = keyOf(names)
    const mapping = options.mappings?.[key] ?? guessed(names, sample)
    context.table({ header: key, columns: names, sample: sample.slice(0, sampleSize), mapping })
    if (!mapping) {
      await eachRow(source, head, delimiter, columns !== undefined, sink, () =>
        sink.leftOut(kind, 'in a table whose columns have not been mapped yet')
      )
      return
    }
    const order = mapping.dates ?? (await orderIn(source, head, delimiter, columns !== undefined, mapping))
    const reader = new RowReader(mapping, order, options.zone, sink)
    const broken = await eachRow(source, head, delimiter, columns !== undefined, sink, cells =>
      reader.row(cells)
    )
    if (broken > 0) sink.leftOut(kind, 'torn by a quote that does not close', broken)
  }
}

/** Whether a text has several lines with equally many cells. */
function isTable(head: Head): boolean {
  const { bytes, text } = head
  if (bytes.length === 0 || isBinary(bytes.subarray(0, 8000))) return isUtf16(bytes) && text.includes('\n')
  if (/^\s*[<{[]/.test(text)) return false
  const rows = firstRows(head, delimiterOf(wholeLines(head)))
  if (rows.length < 2 || rows[0]!.length < 2 || rows[0]!.length > mostColumns) return false
  const width = rows[0]!.length
  return rows.filter(row => row.length === width).length >= rows.length / 2
}

/** Whether bytes are no text. Some devices write a zero here and there. */
function isBinary(bytes: Buffer): boolean {
  let zeros = 0
  for (const byte of bytes) if (byte === 0) zeros++
  return zeros * 100 > bytes.length
}

function isUtf16(bytes: Buffer): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
}

/** The beginning of a text, to the end of its last whole line there. */
function wholeLines({ text }: Head): string {
  const part = text.slice(0, 32_000)
  const end = part.lastIndexOf('\n')
  return end > 0 && text.length > part.length ? part.slice(0, end + 1) : part
}

function firstRows(head: Head, delimiter: string): string[][] {
  const rows: string[][] = []
  const scanner = new RowScanner(delimiter, cells => rows.length < 200 && rows.push(cells))
  scanner.write(wholeLines(head))
  scanner.end()
  return rows
}

/** Reads all rows but the header. Returns how many of them had an unclosed quote. */
async function eachRow(
  source: Source,
  head: Head,
  delimiter: string,
  hasHeader: boolean,
  sink: Pick<Sink, 'drained'>,
  onRow: (cells: string[]) => void
): Promise<number> {
  let isFirst = hasHeader
  const scanner = new RowScanner(delimiter, cells => {
    if (isFirst) isFirst = false
    else onRow(cells)
  })
  for await (const piece of textsOf(source, head)) {
    scanner.write(piece)
    await sink.drained()
  }
  scanner.end()
  return scanner.broken
}

/** The order of dates such as 03/04/2024, by all rows: the first one with a number beyond twelve tells. */
async function orderIn(
  source: Source,
  head: Head,
  delimiter: string,
  hasHeader: boolean,
  { time }: Mapping
): Promise<'dmy' | 'mdy' | undefined> {
  const first = firstRows(head, delimiter)[hasHeader ? 1 : 0]?.[time] ?? ''
  if (!/^\s*\d{1,2}[./-]\d{1,2}[./-]\d{2,4}/.test(first)) return 'dmy'
  let order: 'dmy' | 'mdy' | undefined
  await eachRow(source, head, delimiter, hasHeader, { drained: () => undefined }, cells => {
    order ??= dateOrderOf(cells[time] ?? '')
  })
  // Dates with points usually name the day before the month.
  return order ?? (first.includes('.') ? 'dmy' : undefined)
}

class RowReader {
  readonly #groups: { type: string; stream: string; parts: Mapping['values'] }[] = []

  constructor(
    private readonly mapping: Mapping,
    private readonly order: 'dmy' | 'mdy' | undefined,
    private readonly zone: string | undefined,
    private readonly sink: Sink
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
    if (order === undefined)
      sink.warn(
        'Dates such as 03/04/2024 may be of either order: days are taken to come first. Say which it is'
      )
  }

  row(cells: readonly string[]): void {
    const { clock, end, source, time } = this.mapping
    const at = cellTime(
      cells[time],
      clock === undefined ? undefined : cells[clock],
      this.order ?? 'dmy',
      this.zone
    )
    if (Number.isNaN(at)) {
      this.sink.leftOut(kind, 'of a time that cannot be read')
      return
    }
    const until = end === undefined ? NaN : this.#end(cells[end], at)
    let isFirst = true
    for (const { parts, stream, type } of this.#groups) {
      const content = contentOf(parts, cells)
      if (content === undefined) continue
      if (type === 'position/wgs84' && !isPosition(content)) {
        this.sink.leftOut(isFirst ? kind : `${kind}, ${stream}`, 'at coordinates beyond the earth')
        isFirst = false
        continue
      }
      this.sink.datum({
        kind: isFirst ? kind : `${kind}, ${stream}`,
        source: source === undefined ? '' : (cells[source] ?? '').trim(),
        type,
        stream,
        time: at,
        duration: until > at ? until - at : undefined,
        content
      })
      isFirst = false
    }
    if (isFirst) this.sink.leftOut(kind, 'without a number')
  }

  /** A length in seconds, or a time. */
  #end(cell: string | undefined, start: number): number {
    const length = decimal(cell)
    return length !== undefined && length < 1e7
      ? start + length
      : cellTime(cell, undefined, this.order ?? 'dmy', this.zone)
  }
}

function contentOf(parts: Mapping['values'], cells: readonly string[]): unknown {
  const [first] = parts
  if (first!.field === undefined) return valueOf(first!, cells)
  const content: Record<string, unknown> = {}
  for (const part of parts) {
    const value = valueOf(part, cells)
    if (value !== undefined) content[part.field!] = value
  }
  if (first!.type === 'position/wgs84' && !('latitude' in content && 'longitude' in content)) return undefined
  return Object.keys(content).length === 0 ? undefined : content
}

function isPosition(content: unknown): boolean {
  const { latitude, longitude } = content as { latitude?: number; longitude?: number }
  return isPlace(latitude, longitude)
}

/** An empty cell is not zero. */
function valueOf({ column, factor, type }: Mapping['values'][number], cells: readonly string[]): unknown {
  const cell = cells[column]
  if (cell === undefined || cell.trim() === '') return undefined
  if (type.startsWith('note/')) return cell.trim()
  const value = decimal(cell)
  if (value === undefined) return undefined
  return factor === undefined || factor === 1 ? value : Number((value * factor).toPrecision(12))
}
