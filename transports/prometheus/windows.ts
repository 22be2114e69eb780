/** Summarises the windows of functions such as `avg_over_time`. */
import { Pauses } from '../../core/measures/pauses.js'
import type { Steps } from '../../storage/steps.js'
import type { Cell, TimedCell } from './cells.js'
import type { RangeFunction } from './promql.js'

/** Values of a series, one for each time of a query; `undefined` where there is none. */
export type Values = readonly (number | undefined)[]

/** Tolerance in seconds where times are compared that have been computed in steps. */
const margin = 0.0005

/**
 * Summarises, for each of the times in ascending order, the cells that end in the window of so many seconds before it. Cells are in
 * order of time. Returns a value for each time, `undefined` where there is none; yields only to pause. Takes time linear in the number of
 * cells and times, however long windows are.
 */
export function* summariseWindows(
  times: readonly number[],
  cells: readonly TimedCell[],
  { apply, window }: { readonly apply: RangeFunction; readonly window: number }
): Steps<Values> {
  const pauses = new Pauses()
  const values: (number | undefined)[] = []
  let [low, high] = [0, 0]
  // A window consists of the cells before `middle`, of which there are summaries from each one on, and of those after them.
  let [first, middle] = [0, 0]
  let before: Cell[] = []
  let after: Cell | undefined
  for (const time of times) {
    for (; high < cells.length && cells[high]!.end <= time + margin; high++) {
      after = mergeCells(after, cells[high]!)
      if (pauses.isDue(1)) yield
    }
    while (low < high && cells[low]!.end <= time - window + margin) low++
    if (low > middle) {
      ;[first, middle, after] = [low, high, undefined]
      before = cells.slice(low, high)
      for (let at = before.length - 2; at >= 0; at--) {
        before[at] = mergeCells(before[at], before[at + 1]!)
        if (pauses.isDue(1)) yield
      }
    }
    const last = cells[high - 1]
    if (low === high) values.push(undefined)
    else if (apply === 'last') values.push(last!.last)
    else {
      const earlier = low < middle ? before[low - first] : undefined
      values.push(readCell(after ? mergeCells(earlier, after) : earlier!, apply, window))
    }
    if (pauses.isDue(1)) yield
  }
  return values
}

/** Returns the data of two cells together. */
function mergeCells(one: Cell | undefined, other: Cell): Cell {
  if (!one) return other
  const [count, sum] = [one.count + other.count, one.sum + other.sum]
  if (one.min === undefined || other.min === undefined)
    return { ...(one.min === undefined ? other : one), count, sum }
  return { count, sum, min: Math.min(one.min, other.min), max: Math.max(one.max!, other.max!) }
}

/** Returns the summary of a cell; `undefined` if it is one of numbers, and there are none. */
function readCell(
  { count, max, min, sum }: Cell,
  apply: Exclude<RangeFunction, 'last'>,
  seconds: number
): number | undefined {
  switch (apply) {
    case 'count':
      return count
    case 'sum':
    case 'increase':
      return sum
    case 'rate':
      return sum / seconds
    case 'avg':
      return min === undefined ? undefined : sum / count
    case 'min':
      return min
    default:
      return max
  }
}
