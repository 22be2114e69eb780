/** A time range divided into cells of any lengths. */

export interface TimeGrid {
  /** When each cell begins, in seconds, ascending. */
  readonly starts: ArrayLike<number>
  /** When the last cell ends. */
  readonly end: number
  /** The day of each cell, for cells that are not longer than a day. */
  readonly days?: ArrayLike<number>
  /** The last time of a range that includes it, in a cell that ends at the next number: nothing is spread beyond it. */
  readonly last?: { readonly time: number; readonly next: number } | undefined
}

/** Returns the last cell that begins at or before a time within the grid. */
export function findCell({ end, starts }: TimeGrid, time: number): number {
  const last = starts.length - 1
  // Cells usually have about the same length.
  const guess = Math.floor(((time - starts[0]!) / (end - starts[0]!)) * starts.length)
  let low = Math.min(Math.max(Number.isNaN(guess) ? 0 : guess, 0), last)
  let high = low
  for (let step = 1; low > 0 && starts[low]! > time; step *= 2) low = Math.max(0, low - step)
  for (let step = 1; high < last && starts[high + 1]! <= time; step *= 2) high = Math.min(last, high + step)
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (starts[middle]! <= time) low = middle
    else high = middle - 1
  }
  return low
}

/** Returns the start of a cell; of the cell after the last one, the end of the grid. */
export function getCellStart({ end, starts }: TimeGrid, cell: number): number {
  return cell < starts.length ? starts[cell]! : end
}

/** Returns how many seconds of a period lie in a cell. */
export function measureWithin(grid: TimeGrid, cell: number, from: number, until: number): number {
  const next = getCellStart(grid, cell + 1)
  const end = next === grid.last?.next ? grid.last.time : next
  return Math.max(0, Math.min(until, end) - Math.max(from, grid.starts[cell]!))
}
