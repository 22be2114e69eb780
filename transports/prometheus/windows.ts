/** Summarises the windows of functions such as `avg_over_time`. */
import { Pauses } from '../../core/measures/pauses.js'
import type { Steps } from '../../storage/steps.js'
import type { Cell, TimedCell } from './cells.js'
import type { RangeFunction } from './promql.js'
import { refuseUnsupported } from './query-error.js'

/** Values of a series, one for each time of a query; `undefined` where there is none. */
export type Values = readonly (number | undefined)[]

/** Maximum number of cells that all windows of a query cover. */
const maxVisited = 5_000_000
/** Tolerance in seconds where times are compared that have been computed in steps. */
const margin = 0.0005

/** Summarises windows of all series of a query. Throws a `QueryError` once they cover too many cells. */
export class Windows {
  #visited = 0

  /** `times`: those of the query, in seconds, ascending. */
  constructor(private readonly times: readonly number[]) {}

  /**
   * Summarises, for each time, the cells that end in the window of so many seconds before it. Cells are in order of
   * time. Returns a value for each time, `undefined` where there is none; yields only to pause.
   */
  *summarise(cells: readonly TimedCell[], window: number, apply: RangeFunction): Steps<Values> {
    const pauses = new Pauses()
    const values: (number | undefined)[] = []
    let [low, high] = [0, 0]
    for (const time of this.times) {
      while (high < cells.length && cells[high]!.end <= time + margin) high++
      while (low < high && cells[low]!.end <= time - window + margin) low++
      if (low === high) values.push(undefined)
      else if (apply === 'last') values.push(cells[high - 1]!.last)
      else {
        this.#visited += high - low
        if (this.#visited > maxVisited)
          refuseUnsupported('The ranges of the query are too long for its steps. Use a longer step')
        values.push(summarise(cells, [low, high], apply, window))
        if (pauses.isDue(high - low)) yield
      }
      if (pauses.isDue(1)) yield
    }
    return values
  }
}

/** Returns the summary of the cells from one index to another, excluded; `undefined` if it is one of numbers, and there are none. */
function summarise(
  cells: readonly Cell[],
  [low, high]: readonly [number, number],
  apply: Exclude<RangeFunction, 'last'>,
  seconds: number
): number | undefined {
  let [count, sum, least, greatest] = [0, 0, Infinity, -Infinity]
  let hasNumbers = false
  for (let at = low; at < high; at++) {
    const cell = cells[at]!
    count += cell.count
    sum += cell.sum
    if (cell.min !== undefined && cell.max !== undefined) {
      hasNumbers = true
      if (cell.min < least) least = cell.min
      if (cell.max > greatest) greatest = cell.max
    }
  }
  switch (apply) {
    case 'count':
      return count
    case 'sum':
    case 'increase':
      return sum
    case 'rate':
      return sum / seconds
    case 'avg':
      return hasNumbers ? sum / count : undefined
    case 'min':
      return hasNumbers ? least : undefined
    default:
      return hasNumbers ? greatest : undefined
  }
}
