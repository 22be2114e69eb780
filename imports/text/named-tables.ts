/** Reads tables with known columns: rows by column name, whatever their order. */
import type { FileHead, Sink, SourceFile } from '../record.js'
import { usesCarriageReturns, RowScanner, readTableText, type OnRow } from './row-scanner.js'

/** A row by column name, in lower case; empty cells are missing. */
export type NamedRow = ReadonlyMap<string, string>

/**
 * Returns the column names in the first line of a text, in lower case. Returns an empty list if the line has
 * no delimiter, or is too long for a header.
 */
export function readColumnNames({ text }: Pick<FileHead, 'text'>, delimiter: string): string[] {
  const end = text.indexOf(usesCarriageReturns(text) ? '\r' : '\n')
  const line = text.slice(0, end < 0 ? undefined : end)
  // A line of this length without a delimiter is not a header.
  if (line.length > 10_000 || !line.includes(delimiter)) return []
  let columns: string[] = []
  const scanner = new RowScanner(delimiter, cells => (columns = cells))
  scanner.write(line)
  scanner.finish()
  return columns.map(name => name.trim().toLowerCase())
}

/** Calls `onRow` with each row below the header; counts broken rows as skipped. */
export async function readNamedRows(
  source: SourceFile,
  head: FileHead,
  delimiter: string,
  kind: string,
  sink: Sink,
  onRow: (row: NamedRow) => void
): Promise<void> {
  const columns = readColumnNames(head, delimiter)
  await readRows(source, head, delimiter, kind, sink, cells => onRow(toNamedRow(columns, cells)))
}

/**
 * Calls `onRow` with the cells of each row below the header; counts broken rows as skipped. `isStrict`: as for {@link RowScanner}.
 */
export async function readRows(
  source: SourceFile,
  head: FileHead,
  delimiter: string,
  kind: string,
  sink: Sink,
  onRow: OnRow,
  isStrict = false
): Promise<void> {
  let isHeader = true
  const onAnyRow: OnRow = (cells, quoted) => {
    if (isHeader) isHeader = false
    else onRow(cells, quoted)
  }
  const scanner = new RowScanner(delimiter, onAnyRow, isStrict)
  for await (const chunk of readTableText(source, head)) {
    scanner.write(chunk)
  }
  scanner.finish()
  if (scanner.brokenCount > 0) sink.skip(kind, 'torn by a quote that does not close', scanner.brokenCount)
}

function toNamedRow(columns: readonly string[], cells: readonly string[]): NamedRow {
  const row = new Map<string, string>()
  // A header may have thousands of names, and rows only one cell.
  for (const [index, each] of cells.slice(0, columns.length).entries()) {
    const cell = each.trim()
    if (cell) row.set(columns[index]!, cell)
  }
  return row
}
