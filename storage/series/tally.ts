/** Counts the points of a range, and sums the numbers of their columns. */
import type { Block } from './parts.js'
import type { Row } from './rows.js'

/** Accumulates rows, in any order. */
export class Tally {
  #count = 0
  readonly #columns: readonly Column[]

  /** `cells`: the indexes of the cells to sum. */
  constructor(cells: readonly number[]) {
    this.#columns = cells.map(cell => new Column(cell))
  }

  /** Accumulates one row. */
  add(row: Row): void {
    this.#count++
    for (const column of this.#columns) {
      const value = row[column.cell]
      // One value is its own sum, minimum and maximum.
      if (typeof value === 'number') column.add(1, value, value, value)
    }
  }

  /** Accumulates a whole block by the figures it has stored. */
  addBlock(block: Pick<Block, 'count' | 'measures'>): void {
    this.#count += block.count
    const measures = block.measures()
    for (const column of this.#columns) {
      // A column that was added later is missing.
      const figures = measures[column.cell - 1] ?? 0
      if (figures !== 0) column.add(...figures)
    }
  }

  /**
   * Returns `[time, count, ...]`, then the minimum, maximum and mean of each column; empty if there are no points.
   */
  rows(time: number): Row[] {
    return this.#count === 0 ? [] : [[time, this.#count, ...this.#columns.flatMap(column => column.cells())]]
  }
}

/** A power of two that scales sums down which would overflow a double. */
const scale = 2 ** -64

class Column {
  #count = 0
  #sum = 0
  #unit = 1
  #minimum = Infinity
  #maximum = -Infinity

  constructor(readonly cell: number) {}

  /** Accumulates `count` values by their sum and extremes. Sums beyond the greatest number are kept scaled. */
  add(count: number, sum: number, minimum: number, maximum: number): void {
    this.#count += count
    if (minimum < this.#minimum) this.#minimum = minimum
    if (maximum > this.#maximum) this.#maximum = maximum
    const next = this.#sum + sum * this.#unit
    if (Number.isFinite(next)) this.#sum = next
    else {
      this.#sum = this.#sum * scale + sum * scale
      this.#unit = scale
    }
  }

  /** Returns the minimum, the maximum and the mean; `null` for each without values. */
  cells(): (number | null)[] {
    if (this.#count === 0) return [null, null, null]
    const mean = this.#sum / this.#count / this.#unit
    // Rounding may push it beyond the extremes.
    return [this.#minimum, this.#maximum, Math.min(Math.max(mean, this.#minimum), this.#maximum)]
  }
}
