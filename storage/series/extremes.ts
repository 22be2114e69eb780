/** The rows of a stretch that a chart cannot do without: those with the least and the greatest number of each column. */
import type { Block } from './parts.js'
import type { Row } from './rows.js'

/** Takes rows in order of time, and remembers which of them stand out. */
export class Extremes {
  readonly #least: (Row | undefined)[] = []
  readonly #greatest: (Row | undefined)[] = []
  #first: Row | undefined

  add(row: Row): void {
    this.#first ??= row
    for (let at = 1; at < row.length; at++) {
      const value = row[at]
      if (typeof value !== 'number') continue
      const least = this.#least[at]
      const greatest = this.#greatest[at]
      if (!least || value < (least[at] as number)) this.#least[at] = row
      if (!greatest || value > (greatest[at] as number)) this.#greatest[at] = row
    }
  }

  addBlock(block: Pick<Block, 'extremes'>): void {
    for (const row of block.extremes()) this.add(row)
  }

  /** The rows that stand out, by time; the first one where no column holds numbers. */
  rows(): Row[] {
    const rows = new Set([...this.#least, ...this.#greatest].filter(row => row !== undefined))
    if (rows.size === 0 && this.#first) rows.add(this.#first)
    return [...rows].toSorted((a, b) => a[0] - b[0])
  }
}
