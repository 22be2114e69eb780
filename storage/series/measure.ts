/** Sums and extremes of a column. */
import type { Row } from './rows.js'

/**
 * The numbers in one cell of some rows: their count and sum, and the first rows with the least and the greatest number.
 */
export interface Measure {
  readonly count: number
  readonly sum: number
  readonly least: Row
  readonly greatest: Row
}

/**
 * Measures the numbers in one cell of consecutive rows; `undefined` if the cell holds no numbers. `at`: the
 * index of the cell in a row, which begins with the time.
 */
export function measureCell(rows: readonly Row[], at: number): Measure | undefined {
  let count = 0
  let sum = 0
  let least = Infinity
  let greatest = -Infinity
  let leastRow: Row | undefined
  let greatestRow: Row | undefined
  for (const row of rows) {
    const value = row[at]
    if (typeof value !== 'number') continue
    count++
    sum += value
    if (value < least) {
      least = value
      leastRow = row
    }
    if (value > greatest) {
      greatest = value
      greatestRow = row
    }
  }
  return leastRow && greatestRow && { count, sum, least: leastRow, greatest: greatestRow }
}

/** Merges the measures of rows; the rows of `a` come first. Returns the other one if one is absent. */
export function mergeMeasures(
  a: Measure | undefined,
  b: Measure | undefined,
  at: number
): Measure | undefined {
  if (!a || !b) return a ?? b
  return {
    count: a.count + b.count,
    sum: a.sum + b.sum,
    least: (b.least[at] as number) < (a.least[at] as number) ? b.least : a.least,
    greatest: (b.greatest[at] as number) > (a.greatest[at] as number) ? b.greatest : a.greatest
  }
}

/** Lists the rows with extreme values, by time; the first row if no column holds numbers. */
export function listExtremeRows(measures: readonly (Measure | undefined)[], first: Row): Row[] {
  const rows = new Map<number, Row>()
  for (const found of measures) {
    if (!found) continue
    rows.set(found.least[0], found.least)
    rows.set(found.greatest[0], found.greatest)
  }
  if (rows.size === 0) return [first]
  return [...rows.values()].toSorted((a, b) => a[0] - b[0])
}
