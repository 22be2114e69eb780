/** Points of one series that go together, as rows of numbers. */
import { mostNumbers } from './bounded.js'

/** Cells for which there is room at first. */
const firstCells = 64

export class Rows {
  /** Names of the cells after the time, in the order in which they were met. */
  readonly columns: string[] = []
  #cells = new Float64Array(firstCells)
  #width = 1
  #size = 0
  /** Whether each row came after the one before it: most files are in order. */
  #isAscending = true

  get size(): number {
    return this.#size
  }

  /** Bytes that it takes, with the room for further rows. */
  get bytes(): number {
    return this.#cells.byteLength
  }

  /** Whether a point may be added: names of one file are as many as its maker likes, columns are not. */
  takes(content: unknown): boolean {
    if (this.columns.length < mostNumbers || typeof content === 'number') return true
    return Object.keys(content as object).every(name => this.columns.includes(name))
  }

  /** Adds a point: a number, or numbers by name. */
  add(time: number, content: unknown, duration: number | null | undefined): void {
    const start = this.#next(time)
    if (typeof content === 'number') this.#put(start, 'value', content)
    else
      for (const [name, value] of Object.entries(content as Record<string, number>))
        this.#put(start, name, value)
    if (duration) this.#put(start, 'duration', duration)
  }

  /** All rows by time and then by their cells, so that they come in the same order each time; without those there twice. */
  sorted(): { cells: Float64Array; twice: number } {
    const width = this.#width
    const cells = this.#cells.subarray(0, this.#size * width)
    if (this.#isAscending) return { cells, twice: 0 }
    const rows = Array.from({ length: this.#size }, (_, at) => cells.slice(at * width, (at + 1) * width))
    rows.sort(byCells)
    let at = 0
    let last: Float64Array | undefined
    for (const row of rows) {
      if (last && byCells(last, row) === 0) continue
      cells.set(row, at)
      at += width
      last = row
    }
    return { cells: cells.subarray(0, at), twice: this.#size - at / width }
  }

  /** Begins a row; returns at which one. */
  #next(time: number): number {
    const row = this.#size++
    if ((row + 1) * this.#width > this.#cells.length) this.#grow(this.#width)
    const at = row * this.#width
    this.#cells.fill(NaN, at, at + this.#width)
    this.#cells[at] = time
    if (row > 0 && !(time > this.#cells[at - this.#width]!)) this.#isAscending = false
    return row
  }

  #put(row: number, name: string, value: number): void {
    let column = this.columns.indexOf(name)
    if (column < 0) {
      column = this.columns.push(name) - 1
      if (this.columns.length >= this.#width) this.#grow(this.columns.length + 1)
    }
    this.#cells[row * this.#width + column + 1] = value
  }

  /** Makes room for twice as many rows, or for wider ones. */
  #grow(width: number): void {
    const cells = new Float64Array(Math.max(Math.ceil(firstCells / width), this.#size * 2) * width).fill(NaN)
    for (let row = 0; row < this.#size; row++)
      cells.set(this.#cells.subarray(row * this.#width, (row + 1) * this.#width), row * width)
    this.#cells = cells
    this.#width = width
  }
}

function byCells(a: Float64Array, b: Float64Array): number {
  for (let at = 0; at < a.length; at++) {
    const [left, right] = [a[at]!, b[at]!]
    if (left !== right && !(Number.isNaN(left) && Number.isNaN(right)))
      return Number.isNaN(left) ? -1 : Number.isNaN(right) ? 1 : left - right
  }
  return 0
}
