/** Finds the parent rows of another table's rows. */
import type { Sink } from '../../record.js'
import type { Cell } from '../../sqlite/payload.js'

/** Maximum number of parent rows; a database of several hundred megabytes has as many. */
const maxRows = 2_000_000

export class ParentRows {
  /** Ascending. */
  readonly #ids: number[] = []
  readonly #sources: string[] = []
  readonly #starts: number[] = []
  #hasWarned = false

  constructor(private readonly sink: Pick<Sink, 'warn'>) {}

  /**
   * Adds a row. Rows are added in order of their ids. Ignored, with one warning, if the id does not follow or
   * there are too many.
   */
  add(id: Cell, source: string, start: number): void {
    const last = this.#ids.at(-1) ?? -Infinity
    if (typeof id === 'number' && id > last && this.#ids.length < maxRows) {
      this.#ids.push(id)
      this.#sources.push(source)
      this.#starts.push(start)
    } else if (!this.#hasWarned) {
      this.#hasWarned = true
      this.sink.warn('Some records do not tell their source: what they belong to is damaged, or too much')
    }
  }

  /** Returns the row with an id; `undefined` if there is none. */
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
