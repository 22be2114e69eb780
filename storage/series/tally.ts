/** The points of a stretch, counted, and the numbers of their columns summed up. */
import type { Block } from './parts.js'
import type { Row } from './rows.js'

/** Takes rows in any order. */
export class Tally {
  #count = 0
  readonly #columns: readonly Column[]

  /** `places`: those of the cells whose numbers are wanted. */
  constructor(places: readonly number[]) {
    this.#columns = places.map(place => new Column(place))
  }

  add(row: Row): void {
    this.#count++
    for (const column of this.#columns) {
      const value = row[column.place]
      if (typeof value === 'number') column.add(1, value, value, value)
    }
  }

  addBlock(block: Pick<Block, 'count' | 'measures'>): void {
    this.#count += block.count
    const measures = block.measures()
    for (const column of this.#columns) {
      // A column that has come later is not among them.
      const figures = measures[column.place - 1] ?? 0
      if (figures !== 0) column.add(...figures)
    }
  }

  /** `[time, count, ...]`, then for each column the least, the greatest and the mean; nothing where no point is. */
  rows(time: number): Row[] {
    return this.#count === 0 ? [] : [[time, this.#count, ...this.#columns.flatMap(column => column.cells())]]
  }
}

/** A power of two by which sums are made small that would not fit into a double. */
const scale = 2 ** -64

class Column {
  #count = 0
  #sum = 0
  #unit = 1
  #least = Infinity
  #greatest = -Infinity

  constructor(readonly place: number) {}

  add(count: number, sum: number, least: number, greatest: number): void {
    this.#count += count
    if (least < this.#least) this.#least = least
    if (greatest > this.#greatest) this.#greatest = greatest
    const next = this.#sum + sum * this.#unit
    if (Number.isFinite(next)) this.#sum = next
    else {
      this.#sum = this.#sum * scale + sum * scale
      this.#unit = scale
    }
  }

  cells(): (number | null)[] {
    if (this.#count === 0) return [null, null, null]
    const mean = this.#sum / this.#count / this.#unit
    // Rounding may carry it beyond what it is the mean of.
    return [this.#least, this.#greatest, Math.min(Math.max(mean, this.#least), this.#greatest)]
  }
}
