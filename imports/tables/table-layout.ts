/** Finds the layout of a table in a text: the delimiter, the header row, and the rows before it. */
import type { FileHead } from '../record.js'
import { parseCellTime } from '../text/cell-times.js'
import { isNumberCell } from '../text/cell-numbers.js'
import { isUtf16 } from '../text/decode.js'
import { usesCarriageReturns, RowScanner } from '../text/row-scanner.js'
import { findMeasure } from '../text/units.js'
import { createDayJoiner, findDayColumn } from './day-rows.js'
import { foldName } from './fold-name.js'
import { endNames, timeNames } from './time-columns.js'

/** Maximum number of columns of a table. */
const maxColumns = 2000
/** Maximum number of characters, and of rows, from which a layout is detected. */
const maxBeginningLength = 32_000
export const maxSampleRows = 200
/** Maximum number of rows that are searched for the header. */
const maxPrefaceRows = 40
/** Maximum number of numeric rows before the header. */
const maxNumericRows = 3

export interface TableLayout {
  readonly delimiter: string
  /** Column names; `undefined` without a header. */
  readonly columns: readonly string[] | undefined
  /** Number of cells of the header or, without a header, of the first record. */
  readonly width: number
  /** Number of rows before the first record, including the header. */
  readonly skippedRows: number
  /** Rows before the header. */
  readonly preface: readonly (readonly string[])[]
  /** Column of rows that only contain a date, if any. The rows below have times of that day. */
  readonly dayColumn?: number
  /** First of the columns made from a long table's measures: each row has a value in only one of them. */
  readonly firstMeasure?: number
  /** The first records. */
  readonly records: readonly (readonly string[])[]
}

/** Returns the layout of a table; `undefined` if there is no table. */
export function findLayout(head: FileHead): TableLayout | undefined {
  const { bytes } = head
  if (bytes.length === 0 || (isBinary(bytes.subarray(0, 8000)) && !isUtf16(head))) return undefined
  const text = getBeginning(head)
  if (/^\s*[<{[]/.test(text)) return undefined
  const declared = /^"?sep=([,;|\t])"?\s*\n/i.exec(text)?.[1]
  let best: Candidate | undefined
  for (const delimiter of declared === undefined ? [',', ';', '\t', '|'] : [declared]) {
    const found = findCandidateInText(text, delimiter)
    if (found && (!best || found.rank > best.rank)) best = found
  }
  return best?.layout
}

interface Candidate {
  readonly layout: TableLayout
  /** Number of rows with the usual width, then the score of the header. */
  readonly rank: number
}

function findCandidateInText(text: string, delimiter: string): Candidate | undefined {
  const rows: string[][] = []
  const scanner = new RowScanner(delimiter, cells => rows.length < maxSampleRows && rows.push(cells))
  scanner.write(text)
  scanner.finish()
  return findCandidate(rows, delimiter)
}

/** Returns the layout of a table with these first rows, all of one width; `undefined` if it is not a table. */
export function findRowLayout(rows: readonly string[][]): TableLayout | undefined {
  return findCandidate(rows, '\t')?.layout
}

/** Returns the layout for one delimiter with its rank; `undefined` if the rows are no table with that delimiter. */
function findCandidate(rows: readonly string[][], delimiter: string): Candidate | undefined {
  const width = findUsualWidth(rows)
  if (rows.length < 2 || width < 2 || width > maxColumns) return undefined
  const { at, score } = findHeader(rows, width)
  const first = at ?? rows.findIndex(row => hasWidth(row, width))
  const hasUnits = at !== undefined && isUnitRowBelow(rows[at + 1], rows.slice(at + 2))
  const skippedRows = at === undefined ? first : at + (hasUnits ? 2 : 1)
  const rowsAfterHeader = takeUntilHeader(rows.slice(skippedRows))
  const dayColumn = findDayColumn(rowsAfterHeader)
  const records = dayColumn === undefined ? rowsAfterHeader : rowsAfterHeader.map(createDayJoiner(dayColumn))
  const matchingCount = records.filter(row =>
    at === undefined ? row.length === width : row.length > 1 && !isLonger(row, rows[at]!)
  ).length
  if (records.length === 0 || matchingCount < records.length / 2) return undefined
  // Text above rows of only numbers is not a table.
  if (at === undefined && first > 0 && !records[0]!.some(isDate)) return undefined
  const columns =
    at === undefined ? undefined : buildColumnNames(rows[at]!, hasUnits ? rows[at + 1]! : [], records)
  // Lines above a table such as `Device, Scale 3000` say nothing about its delimiter.
  const counted = width === 2 ? rows.slice(first) : rows
  const usualCount = counted.filter(row => row.length === width).length
  return {
    layout: {
      delimiter,
      columns,
      width: rows[at ?? first]!.length,
      skippedRows,
      preface: rows.slice(0, first),
      ...(dayColumn !== undefined && { dayColumn }),
      records
    },
    rank: usualCount * 10_000 + score
  }
}

/** Returns the most frequent number of cells per row; the larger one if two are equally frequent. */
function findUsualWidth(rows: readonly (readonly string[])[]): number {
  const counts = new Map<number, number>()
  for (const { length } of rows) if (length > 1) counts.set(length, (counts.get(length) ?? 0) + 1)
  let usual = 0
  for (const [width, count] of counts) {
    const maxCount = counts.get(usual) ?? 0
    if (count > maxCount || (count === maxCount && width > usual)) usual = width
  }
  return usual
}

/**
 * Finds the header: among the rows before the first numbers, the row with a name for times, or the row with the most
 * names.
 */
function findHeader(
  rows: readonly (readonly string[])[],
  width: number
): { readonly at: number | undefined; readonly score: number } {
  let best = { at: undefined as number | undefined, score: 0 }
  let numericRows = 0
  for (const [at, row] of rows.slice(0, maxPrefaceRows).entries()) {
    if (at === rows.length - 1) break
    if (row.some(isValue)) {
      if (hasWidth(row, width) && ++numericRows > maxNumericRows) break
      continue
    }
    if (isHeaderAbove(row, rows[at + 1]!)) return { at, score: countFilled(row) + maxColumns + 1 }
    const names = row.map(foldName)
    const filled = names.filter(Boolean).length
    const isAboveUnits = isUnitRow(rows[at + 1])
    // Names such as `Day` and `Steps` may be units as well.
    if (row.length < width - 1 || filled < 2 || (isUnitRow(row) && !isAboveUnits)) continue
    const isAboveValues = rows[at + 1]!.some(isValue) || isAboveUnits
    const score =
      filled + (names.some(name => timeNames.test(name)) ? maxColumns : 0) + (isAboveValues ? 0.5 : 0)
    if (score > best.score) best = { at, score }
  }
  return best
}

/** Returns true if a row names columns, one of which is a time in the row below. */
export function isHeaderAbove(row: readonly string[], below: readonly string[]): boolean {
  if (countFilled(row) < 2 || row.some(isValue) || isLonger(below, row)) return false
  return row.some((cell, at) => {
    const name = foldName(cell)
    return timeNames.test(name) && !endNames.test(name) && isValue(below[at] ?? '')
  })
}

/** Returns the layout of a table whose header is within a file. `at` is its row, from 0. */
export function buildLayoutBelow(
  delimiter: string,
  header: readonly string[],
  at: number,
  below: readonly (readonly string[])[]
): TableLayout {
  const records = takeUntilHeader(below)
  const columns = buildColumnNames(header, [], records)
  return { delimiter, columns, width: header.length, skippedRows: at + 1, preface: [], records }
}

/** Returns the records before the header of another table. */
function takeUntilHeader<Row extends readonly string[]>(records: readonly Row[]): readonly Row[] {
  const end = records.findIndex((row, at) => at < records.length - 1 && isHeaderAbove(row, records[at + 1]!))
  return end < 0 ? records : records.slice(0, end)
}

function countFilled(row: readonly string[]): number {
  return row.filter(cell => cell.trim() !== '').length
}

function isValue(cell: string): boolean {
  return (
    /\d/.test(cell) && (isNumberCell(cell) || !Number.isNaN(parseCellTime(cell, undefined, 'dmy', undefined)))
  )
}

function isDate(cell: string): boolean {
  return !isNumberCell(cell) && isValue(cell)
}

function hasWidth(row: readonly string[], width: number): boolean {
  return row.length === width || (row.length === width + 1 && row.at(-1)!.trim() === '')
}

function isLonger(row: readonly string[], header: readonly string[]): boolean {
  return row.slice(header.length).some(cell => cell.trim() !== '')
}

/** Returns true if a row contains units of columns, or formats of dates. */
function isUnitRow(row: readonly string[] | undefined): boolean {
  const cells = listUnitCells(row)
  return cells.length > 0 && cells.every(isUnit)
}

/**
 * Returns true if the row below a header contains units, possibly unknown ones: then none of its cells is a value or a
 * time.
 */
function isUnitRowBelow(
  row: readonly string[] | undefined,
  records: readonly (readonly string[])[]
): boolean {
  if (isUnitRow(row)) return true
  const cells = listUnitCells(row)
  if (cells.length === 0 || !cells.every(cell => isUnit(cell) || /^[^\d\s]{1,10}$/.test(cell))) return false
  return (
    cells.some(isUnit) ||
    row!.every(cell => cell.trim() === '' || /^[([].*[)\]]$/.test(cell.trim())) ||
    row!.every((cell, at) => cell.trim() === '' || hasNumbers(records, at))
  )
}

/** Returns true if a column has numbers, besides words such as `HI` or `Total`, or nothing but marks such as `--`. */
function hasNumbers(records: readonly (readonly string[])[], at: number): boolean {
  const cells = records.slice(0, 20).flatMap(row => row[at]?.trim() || [])
  return cells.some(isNumberCell) || !cells.some(cell => /[\p{L}\p{N}]/u.test(cell))
}

function listUnitCells(row: readonly string[] | undefined): string[] {
  return (row ?? []).map(cell => foldName(cell).replaceAll(/[()[\]]/g, '')).filter(Boolean)
}

function isUnit(cell: string): boolean {
  return findMeasure(cell) !== undefined || (/^[ymdhjst:./ -]{4,25}$/.test(cell) && /yy|jj|hh/.test(cell))
}

/** Returns the names of columns, with the units of a second header row in brackets. Columns without a name are numbered. */
function buildColumnNames(
  names: readonly string[],
  units: readonly string[],
  records: readonly (readonly string[])[]
): string[] {
  const columns = names.map((name, at) => {
    const columnName = name.trim() || `Column ${at + 1}`
    const unit = units[at]?.trim().replaceAll(/[()[\]]/g, '')
    return unit && !/^[ymdhjst:./ -]{4,25}$/i.test(unit) ? `${columnName} (${unit})` : columnName
  })
  // A trailing delimiter of the header does not create a column.
  const last = names.length - 1
  if (names[last]!.trim() === '' && !records.some(row => row[last]?.trim())) columns.pop()
  return columns
}

/** Returns the beginning of a text, up to the end of its last complete line. */
function getBeginning({ text }: FileHead): string {
  const part = text.slice(0, maxBeginningLength)
  const lines = usesCarriageReturns(text) ? part.replaceAll('\r', '\n') : part
  const end = lines.lastIndexOf('\n')
  return end > 0 && text.length > part.length ? lines.slice(0, end + 1) : lines
}

/** Returns true if bytes are not text. Some devices write single zeros. */
function isBinary(bytes: Buffer): boolean {
  let zeros = 0
  for (const byte of bytes) if (byte === 0) zeros++
  return zeros * 100 > bytes.length
}
