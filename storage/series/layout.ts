/** Puts rows in order before they are written: their cells by the columns of the series, what is new after what is there. */
import { mapped, type Steps } from '../steps.js'
import type { Row } from './rows.js'

/** Rows with their cells where the layout has them. */
export function* laidOut(
  rows: readonly Row[],
  columns: readonly string[],
  layout: readonly string[]
): Steps<readonly Row[]> {
  if (columns.length === layout.length && columns.every((name, index) => name === layout[index])) return rows
  const places = layout.map(name => columns.indexOf(name) + 1)
  return yield* mapped(rows, row => [
    row[0],
    ...places.map(place => (place === 0 ? null : (row[place] ?? null)))
  ])
}

/** Index of the first row after a time. */
export function startAfter(rows: readonly Row[], time: number): number {
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
