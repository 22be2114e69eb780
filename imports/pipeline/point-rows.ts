/** Stores data points of one series as rows of numbers. */
import { maxNumericMembers } from './limiting-sink.js'

/** Initial capacity, in cells. */
const initialCells = 64

export class PointRows {
  /** Names of the columns after the time, in order of their first use. */
  readonly columns: string[] = []
  #cells = new Float64Array(initialCells)
  #width = 1
  #size = 0
  /** True while rows are in ascending order, as in most files. */
  #isAscending = true

  /** Number of rows. */
  get size(): number {
    return this.#size
  }

  /** Size in bytes, including capacity for further rows. */
  get bytes(): number {
    return this.#cells.byteLength
  }

  /** Returns true if a data point fits: the number of columns is limited. A single number always fits. */
  fits(content: unknown): boolean {
    if (this.columns.length < maxNumericMembers || typeof content === 'number') return true
    return Object.keys(content as object).every(name => this.columns.includes(name))
  }

  /** Adds a data point: a number, or an object of numbers. Time and duration are in seconds. */
  add(time: number, content: unknown, duration: number | null | undefined): void {
    const start = this.#beginRow(time)
    if (typeof content === 'number') this.#setCell(start, 'value', content)
    else
      for (const [name, value] of Object.entries(content as Record<string, number>))
        this.#setCell(start, name, value, content as object)
    if (duration) this.#setCell(start, 'duration', duration)
  }

  /**
   * Returns all rows without duplicates, sorted by time and then by cells, so that the order is stable. Also
   * says how many duplicates were removed. Reorders the rows in place, so that no row can be added
   * afterwards.
   */
  getSorted(): { cells: Float64Array; duplicates: number } {
    const width = this.#width
    const cells = this.#cells.subarray(0, this.#size * width)
    if (this.#isAscending) return { cells, duplicates: 0 }
    const rows = Array.from({ length: this.#size }, (_, index) =>
      cells.slice(index * width, (index + 1) * width)
    )
    rows.sort(compareRows)
    let offset = 0
    let last: Float64Array | undefined
    for (const row of rows) {
      if (last && compareRows(last, row) === 0) continue
      cells.set(row, offset)
      offset += width
      last = row
    }
    return { cells: cells.subarray(0, offset), duplicates: this.#size - offset / width }
  }

  /** Begins a row; returns its index. */
  #beginRow(time: number): number {
    const row = this.#size++
    if ((row + 1) * this.#width > this.#cells.length) this.#grow(this.#width)
    const offset = row * this.#width
    this.#cells.fill(NaN, offset, offset + this.#width)
    this.#cells[offset] = time
    if (row > 0 && !(time > this.#cells[offset - this.#width]!)) this.#isAscending = false
    return row
  }

  /** Sets a cell. With a new column all others that `content` needs are added, so that the rows are widened once. */
  #setCell(row: number, name: string, value: number, content: object = {}): void {
    let column = this.columns.indexOf(name)
    if (column < 0) {
      column = this.columns.push(name) - 1
      for (const other of Object.keys(content)) if (!this.columns.includes(other)) this.columns.push(other)
      if (this.columns.length >= this.#width) this.#grow(this.columns.length + 1)
    }
    this.#cells[row * this.#width + column + 1] = value
  }

  /** Doubles the capacity, or widens the rows. */
  #grow(width: number): void {
    const cells = new Float64Array(Math.max(Math.ceil(initialCells / width), this.#size * 2) * width).fill(
      NaN
    )
    for (let row = 0; row < this.#size; row++)
      cells.set(this.#cells.subarray(row * this.#width, (row + 1) * this.#width), row * width)
    this.#cells = cells
    this.#width = width
  }
}

function compareRows(a: Float64Array, b: Float64Array): number {
  for (let index = 0; index < a.length; index++) {
    const [left, right] = [a[index]!, b[index]!]
    if (left !== right && !(Number.isNaN(left) && Number.isNaN(right)))
      return Number.isNaN(left) ? -1 : Number.isNaN(right) ? 1 : left - right
  }
  return 0
}
