/** Arranges rows before they are written: cells in the order of the series' columns, new rows after existing ones. */
import { mapInSteps, type Steps } from '../steps.js'
import type { Row } from './rows.js'

/** Returns rows with their cells in the order of the layout. */
export function* arrangeRows(
  rows: readonly Row[],
  columns: readonly string[],
  layout: readonly string[]
): Steps<readonly Row[]> {
  if (columns.length === layout.length && columns.every((name, index) => name === layout[index])) return rows
  const sources = layout.map(name => columns.indexOf(name) + 1)
  return yield* mapInSteps(rows, row => [
    row[0],
    ...sources.map(source => (source === 0 ? null : (row[source] ?? null)))
  ])
}

/** Returns the index of the first row after a time; the number of rows if there is none. There must be rows. */
export function findIndexAfter(rows: readonly Row[], time: number): number {
  if (rows[0]![0] > time) return 0
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (rows[middle]![0] <= time) low = middle + 1
    else high = middle
  }
  return low
}
