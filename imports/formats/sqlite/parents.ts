/** Rows to which those of another table belong. */
import type { Sink } from '../../record.js'
import type { Cell } from '../../sqlite/payload.js'

/** Rows that are kept: some hundred megabytes of a database hold as many. */
const mostRows = 2_000_000

export class Parents {
  /** Ascending. */
  readonly #ids: number[] = []
  readonly #sources: string[] = []
  readonly #starts: number[] = []
  #isTold = false

  constructor(private readonly sink: Pick<Sink, 'warn'>) {}

  /** Adds a row: those of a table come by their ids. */
  add(id: Cell, source: string, start: number): void {
    const last = this.#ids.at(-1) ?? -Infinity
    if (typeof id === 'number' && id > last && this.#ids.length < mostRows) {
      this.#ids.push(id)
      this.#sources.push(source)
      this.#starts.push(start)
    } else if (!this.#isTold) {
      this.#isTold = true
      this.sink.warn('Some records do not tell their source: what they belong to is damaged, or too much')
    }
  }

  /** The row with an id. */
  find(id: Cell): { readonly source: string; readonly start: number } | undefined {
    if (typeof id !== 'number') return undefined
    let [from, to] = [0, this.#ids.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (this.#ids[middle]! < id) from = middle + 1
      else to = middle
    }
    return this.#ids[from] === id ? { source: this.#sources[from]!, start: this.#starts[from]! } : undefined
  }
}
