/** Finds the next table within a file, by its header. */
import { isHeaderAbove, buildLayoutBelow, maxSampleRows, type TableLayout } from './table-layout.js'

export class NextTableFinder {
  #row: number
  /** The previous row, if it may be a header. */
  #possibleHeader: readonly string[] | undefined
  #header: readonly string[] | undefined
  #start = Infinity
  readonly #records: (readonly string[])[] = []

  constructor(
    private readonly layout: TableLayout,
    /** Index of the column of times. */
    private readonly timeColumn: number
  ) {
    this.#row = layout.skippedRows
  }

  /** Adds the next record; returns true if it belongs to the next table. */
  addRow(cells: readonly string[]): boolean {
    const row = this.#row++
    if (this.#header) {
      if (this.#records.length < maxSampleRows) this.#records.push(cells)
      return true
    }
    if (this.#possibleHeader && isHeaderAbove(this.#possibleHeader, cells)) {
      this.#header = this.#possibleHeader
      this.#start = row - 1
      this.#records.push(cells)
      return true
    }
    this.#possibleHeader =
      cells.length > 1 && !/\d/.test(cells[this.timeColumn] ?? '') && !this.#isRepeatedHeader(cells)
        ? cells
        : undefined
    return false
  }

  /** Row number of the next table's header, from 0; `Infinity` if no further table was found. */
  get startRow(): number {
    return this.#start
  }

  /** Layout of the next table, after all rows have been added. */
  get nextLayout(): TableLayout | undefined {
    return this.#header && buildLayoutBelow(this.layout.delimiter, this.#header, this.#start, this.#records)
  }

  /** Returns true if a row repeats the header of this table. */
  #isRepeatedHeader(cells: readonly string[]): boolean {
    const { columns = [] } = this.layout
    return cells.every((cell, at) => cell.trim() === '' || columns[at]?.startsWith(cell.trim()))
  }
}
