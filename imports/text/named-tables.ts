/** Tables whose columns a maker has named: rows are read by these names, whatever their order. */
import type { Head, Sink, Source } from '../record.js'
import { hasReturns, RowScanner, tableTexts } from './rows.js'

/** A row by the names of its columns, in small letters; empty cells are missing. */
export type NamedRow = ReadonlyMap<string, string>

/** The names of the columns in the first line of a text, in small letters. */
export function columnsOf({ text }: Pick<Head, 'text'>, delimiter: string): string[] {
  const end = text.indexOf(hasReturns(text) ? '\r' : '\n')
  const line = text.slice(0, end < 0 ? undefined : end)
  // Whatever has no delimiter in so many characters is no table.
  if (line.length > 10_000 || !line.includes(delimiter)) return []
  let columns: string[] = []
  const scanner = new RowScanner(delimiter, cells => (columns = cells))
  scanner.write(line)
  scanner.end()
  return columns.map(name => name.trim().toLowerCase())
}

/** Calls `onRow` with each row below the header. */
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
    else onRow(namedRow(columns, cells))
  })
  for await (const piece of tableTexts(source, head)) {
    scanner.write(piece)
  }
  scanner.end()
  if (scanner.broken > 0) sink.leftOut(kind, 'torn by a quote that does not close', scanner.broken)
}

function namedRow(columns: readonly string[], cells: readonly string[]): NamedRow {
  const row = new Map<string, string>()
  // A header may have thousands of names above rows of one cell.
  for (const [at, each] of cells.slice(0, columns.length).entries()) {
    const cell = each.trim()
    if (cell) row.set(columns[at]!, cell)
  }
  return row
}
