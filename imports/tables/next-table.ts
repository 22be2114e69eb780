/** Finds where another table begins within a file: below a header of its own. */
import { isHeaderAbove, layoutBelow, mostRows, type Layout } from './layout.js'

export class NextTable {
  #at: number
  /** The row before, if it may be a header. */
  #before: readonly string[] | undefined
  #header: readonly string[] | undefined
  #start = Infinity
  readonly #records: (readonly string[])[] = []

  constructor(
    private readonly layout: Layout,
    /** The column of times. */
    private readonly time: number
  ) {
    this.#at = layout.skipped
  }

  /** Takes one record after the other. Returns whether it is already one of another table. */
  row(cells: readonly string[]): boolean {
    const at = this.#at++
    if (this.#header) {
      if (this.#records.length < mostRows) this.#records.push(cells)
      return true
    }
    if (this.#before && isHeaderAbove(this.#before, cells)) {
      this.#header = this.#before
      this.#start = at - 1
      this.#records.push(cells)
      return true
    }
    this.#before =
      cells.length > 1 && !/\d/.test(cells[this.time] ?? '') && !this.#isOwn(cells) ? cells : undefined
    return false
  }

  /** The number of the row that is the header of the next table, from 0; `Infinity` if there is none. */
  get start(): number {
    return this.#start
  }

  /** The layout of the next table, once all rows have been taken. */
  get next(): Layout | undefined {
    return this.#header && layoutBelow(this.layout.delimiter, this.#header, this.#start, this.#records)
  }

  /** Whether a row is the header of this table once more. */
  #isOwn(cells: readonly string[]): boolean {
    const { columns = [] } = this.layout
    return cells.every((cell, at) => cell.trim() === '' || columns[at]?.startsWith(cell.trim()))
  }
}
