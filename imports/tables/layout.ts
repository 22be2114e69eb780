/** Finds where a table begins in a text: what separates its cells, which row is the header, and what stands before. */
import type { Head } from '../record.js'
import { cellTime } from '../text/cell-times.js'
import { isNumber } from '../text/cells.js'
import { isUtf16 } from '../text/decode.js'
import { hasReturns, RowScanner } from '../text/rows.js'
import { measureOf } from '../text/units.js'
import { dayJoiner, findDayColumn } from './day-rows.js'
import { foldName } from './names.js'
import { endNames, timeNames } from './time-columns.js'

/** Columns of a table at most. */
const mostColumns = 2000
/** Characters and rows from which a layout is told. */
const longestBeginning = 32_000
export const mostRows = 200
/** Rows among which the header is looked for. */
const mostPreface = 40
/** Rows of numbers that may stand before the header. */
const mostNumbered = 3

export interface Layout {
  readonly delimiter: string
  /** Names of the columns; `undefined` without a header. */
  readonly columns: readonly string[] | undefined
  /** Cells of the header; those of the first record without one. */
  readonly width: number
  /** Rows before the first record, including the header. */
  readonly skipped: number
  /** Rows before the header. */
  readonly preface: readonly (readonly string[])[]
  /** The column of rows with a day alone, if there are any: those below have times of that day. */
  readonly dayColumn?: number
  /** The first column of those of which each row has one alone: of measures that stood in cells. */
  readonly firstMeasure?: number
  /** The first records. */
  readonly records: readonly (readonly string[])[]
}

/** Returns the layout of a table; `undefined` for what is none. */
export function findLayout(head: Head): Layout | undefined {
  const { bytes } = head
  if (bytes.length === 0 || (isBinary(bytes.subarray(0, 8000)) && !isUtf16(head))) return undefined
  const text = beginningOf(head)
  if (/^\s*[<{[]/.test(text)) return undefined
  const named = /^"?sep=([,;|\t])"?\s*\n/i.exec(text)?.[1]
  let best: Candidate | undefined
  for (const delimiter of named === undefined ? [',', ';', '\t', '|'] : [named]) {
    const found = candidateOf(text, delimiter)
    if (found && (!best || found.rank > best.rank)) best = found
  }
  return best?.layout
}

interface Candidate {
  readonly layout: Layout
  /** Rows with equally many cells, then what the header tells. */
  readonly rank: number
}

function candidateOf(text: string, delimiter: string): Candidate | undefined {
  const rows: string[][] = []
  const scanner = new RowScanner(delimiter, cells => rows.length < mostRows && rows.push(cells))
  scanner.write(text)
  scanner.end()
  return candidateIn(rows, delimiter)
}

/** Returns the layout of a table of which these are the first rows, all of one width; `undefined` for what is none. */
export function findLayoutIn(rows: readonly string[][]): Layout | undefined {
  return candidateIn(rows, '\t')?.layout
}

function candidateIn(rows: readonly string[][], delimiter: string): Candidate | undefined {
  const width = usualWidth(rows)
  if (rows.length < 2 || width < 2 || width > mostColumns) return undefined
  const { at, score } = headerIn(rows, width)
  const first = at ?? rows.findIndex(row => isOfWidth(row, width))
  const hasUnits = at !== undefined && isUnitsBelow(rows[at + 1], rows.slice(at + 2))
  const skipped = at === undefined ? first : at + (hasUnits ? 2 : 1)
  const plain = upToHeader(rows.slice(skipped))
  const dayColumn = findDayColumn(plain)
  const records = dayColumn === undefined ? plain : plain.map(dayJoiner(dayColumn))
  const agreeing = records.filter(row =>
    at === undefined ? row.length === width : row.length > 1 && !isLonger(row, rows[at]!)
  ).length
  if (records.length === 0 || agreeing < records.length / 2) return undefined
  // Text above numbers alone may be anything.
  if (at === undefined && first > 0 && !records[0]!.some(isDate)) return undefined
  const columns = at === undefined ? undefined : columnsIn(rows[at]!, hasUnits ? rows[at + 1]! : [], records)
  const usual = rows.filter(row => row.length === width).length
  return {
    layout: {
      delimiter,
      columns,
      width: rows[at ?? first]!.length,
      skipped,
      preface: rows.slice(0, first),
      ...(dayColumn !== undefined && { dayColumn }),
      records
    },
    rank: usual * 10_000 + score
  }
}

/** How many cells most rows have; the larger of two that are equally frequent. */
function usualWidth(rows: readonly (readonly string[])[]): number {
  const counts = new Map<number, number>()
  for (const { length } of rows) if (length > 1) counts.set(length, (counts.get(length) ?? 0) + 1)
  let usual = 0
  for (const [width, count] of counts) {
    const most = counts.get(usual) ?? 0
    if (count > most || (count === most && width > usual)) usual = width
  }
  return usual
}

/** The row that names the columns: of those before the first numbers, the one with a name of a time, or with most names. */
function headerIn(
  rows: readonly (readonly string[])[],
  width: number
): { readonly at: number | undefined; readonly score: number } {
  let best = { at: undefined as number | undefined, score: 0 }
  let numbered = 0
  for (const [at, row] of rows.slice(0, mostPreface).entries()) {
    if (at === rows.length - 1) break
    if (row.some(isValue)) {
      if (isOfWidth(row, width) && ++numbered > mostNumbered) break
      continue
    }
    if (isHeaderAbove(row, rows[at + 1]!)) return { at, score: filledIn(row) + mostColumns + 1 }
    const names = row.map(foldName)
    const filled = names.filter(Boolean).length
    if (row.length < width - 1 || filled < 2 || isUnits(row)) continue
    const isAboveValues = rows[at + 1]!.some(isValue) || isUnits(rows[at + 1])
    const score =
      filled + (names.some(name => timeNames.test(name)) ? mostColumns : 0) + (isAboveValues ? 0.5 : 0)
    if (score > best.score) best = { at, score }
  }
  return best
}

/** Whether a row names columns of which one tells times, as the row below it does. */
export function isHeaderAbove(row: readonly string[], below: readonly string[]): boolean {
  if (filledIn(row) < 2 || row.some(isValue) || isLonger(below, row)) return false
  return row.some((cell, at) => {
    const name = foldName(cell)
    return timeNames.test(name) && !endNames.test(name) && isValue(below[at] ?? '')
  })
}

/** Returns the layout of a table whose header stands within a file. `at`: its row, from 0. */
export function layoutBelow(
  delimiter: string,
  header: readonly string[],
  at: number,
  below: readonly (readonly string[])[]
): Layout {
  const records = upToHeader(below)
  const columns = columnsIn(header, [], records)
  return { delimiter, columns, width: header.length, skipped: at + 1, preface: [], records }
}

/** Returns the records before those of another table. */
function upToHeader<Row extends readonly string[]>(records: readonly Row[]): readonly Row[] {
  const end = records.findIndex((row, at) => at < records.length - 1 && isHeaderAbove(row, records[at + 1]!))
  return end < 0 ? records : records.slice(0, end)
}

function filledIn(row: readonly string[]): number {
  return row.filter(cell => cell.trim() !== '').length
}

function isValue(cell: string): boolean {
  return /\d/.test(cell) && (isNumber(cell) || !Number.isNaN(cellTime(cell, undefined, 'dmy', undefined)))
}

function isDate(cell: string): boolean {
  return !isNumber(cell) && isValue(cell)
}

function isOfWidth(row: readonly string[], width: number): boolean {
  return row.length === width || (row.length === width + 1 && row.at(-1)!.trim() === '')
}

function isLonger(row: readonly string[], header: readonly string[]): boolean {
  return row.slice(header.length).some(cell => cell.trim() !== '')
}

/** Whether a row holds the units of its columns, and forms of dates. */
function isUnits(row: readonly string[] | undefined): boolean {
  const cells = unitCells(row)
  return cells.length > 0 && cells.every(isUnit)
}

/** Whether the row below a header holds units, some of which may not be known: none of its cells has a value or a time. */
function isUnitsBelow(row: readonly string[] | undefined, records: readonly (readonly string[])[]): boolean {
  if (isUnits(row)) return true
  const cells = unitCells(row)
  if (cells.length === 0 || !cells.every(cell => isUnit(cell) || /^[^\d\s]{1,10}$/.test(cell))) return false
  return cells.some(isUnit) || row!.every((cell, at) => cell.trim() === '' || isNumbers(records, at))
}

/** Whether half of the cells of a column that are not empty are numbers. */
function isNumbers(records: readonly (readonly string[])[], at: number): boolean {
  const cells = records.slice(0, 20).flatMap(row => row[at]?.trim() || [])
  return cells.filter(cell => isNumber(cell)).length * 2 >= cells.length
}

function unitCells(row: readonly string[] | undefined): string[] {
  return (row ?? []).map(cell => foldName(cell).replaceAll(/[()[\]]/g, '')).filter(Boolean)
}

function isUnit(cell: string): boolean {
  return measureOf(cell) !== undefined || (/^[ymdhjst:./ -]{4,25}$/.test(cell) && /yy|jj|hh/.test(cell))
}

function columnsIn(
  names: readonly string[],
  units: readonly string[],
  records: readonly (readonly string[])[]
): string[] {
  const columns = names.map((name, at) => {
    const own = name.trim() || `Column ${at + 1}`
    const unit = units[at]?.trim().replaceAll(/[()[\]]/g, '')
    return unit && !/^[ymdhjst:./ -]{4,25}$/i.test(unit) ? `${own} (${unit})` : own
  })
  // A delimiter at the end of the header makes no column.
  const last = names.length - 1
  if (names[last]!.trim() === '' && !records.some(row => row[last]?.trim())) columns.pop()
  return columns
}

/** The beginning of a text, to the end of its last whole line there. */
function beginningOf({ text }: Head): string {
  const part = text.slice(0, longestBeginning)
  const lines = hasReturns(text) ? part.replaceAll('\r', '\n') : part
  const end = lines.lastIndexOf('\n')
  return end > 0 && text.length > part.length ? lines.slice(0, end + 1) : lines
}

/** Whether bytes are no text. Some devices write a zero here and there. */
function isBinary(bytes: Buffer): boolean {
  let zeros = 0
  for (const byte of bytes) if (byte === 0) zeros++
  return zeros * 100 > bytes.length
}
