/** Reads tables with known columns: rows by column name, whatever their order. */
import type { Head, Sink, Source } from '../record.js'
import { hasReturns, RowScanner, tableTexts } from './rows.js'

/** A row by column name, in lower case; empty cells are missing. */
export type NamedRow = ReadonlyMap<string, string>

/** Returns the column names in the first line of a text, in lower case. */
export function columnsOf({ text }: Pick<Head, 'text'>, delimiter: string): string[] {
  const end = text.indexOf(hasReturns(text) ? '\r' : '\n')
  const line = text.slice(0, end < 0 ? undefined : end)
  // A line of this length without a delimiter is not a header.
  if (line.length > 10_000 || !line.includes(delimiter)) return []
  let columns: string[] = []
  const scanner = new RowScanner(delimiter, cells => (columns = cells))
  scanner.write(line)
  scanner.end()
  return columns.map(name => name.trim().toLowerCase())
}

/** Calls `onRow` with each row below the header; counts broken rows as skipped. */
export async function eachNamedRow(
  source: Source,
  head: Head,
  delimiter: string,
  kind: string,
  sink: Sink,
  onRow: (row: NamedRow) => void
): Promise<void> {
  const columns = columnsOf(head, delimiter)
  let isHeader = true
  const scanner = new RowScanner(delimiter, cells => {
    if (isHeader) isHeader = false
    else onRow(toNamedRow(columns, cells))
  })
  for await (const chunk of tableTexts(source, head)) {
    scanner.write(chunk)
  }
  scanner.end()
  if (scanner.broken > 0) sink.leftOut(kind, 'torn by a quote that does not close', scanner.broken)
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
