/** Goes through the numbers of events, more at a time as long as it is quick: some have bodies of many megabytes. */
import type { Database } from 'better-sqlite3'
import { runWithTimeout } from '../sqlite/run-with-timeout.js'

/** Numbers that the first step looks at, and that any step does. */
const initialNumbers = 16
const maxNumbers = 512
/** Milliseconds that a step should take. */
const stepMs = 2

export class NumberSteps {
  #size = initialNumbers

  /** From the number after `at` up to `end`. */
  constructor(
    public at: number,
    readonly end: number
  ) {}

  get isDone(): boolean {
    return this.at >= this.end
  }

  /**
   * The first row among the next numbers, after which it goes on; `undefined` if there is none among them. `find` runs a
   * statement that asks whether there is time for a row. Where it throws, fewer numbers are tried next.
   */
  next<Row extends { readonly number: number }>(
    db: Database,
    find: (after: number, to: number) => Row | undefined
  ): Row | undefined {
    const to = Math.min(this.at + this.#size, this.end)
    const start = performance.now()
    const size = this.#size
    this.#size = Math.max(1, Math.floor(size / 4))
    const { found: row, last = to } = runWithTimeout(db, stepMs, () => find(this.at, to))
    const isSlow = performance.now() - start > stepMs
    this.#size = isSlow ? Math.max(1, Math.floor(size / 2)) : Math.min(size * 2, maxNumbers)
    // Nothing is left where there are no events any more.
    this.at = row ? row.number : Math.max(last, this.at)
    return row
  }
}
