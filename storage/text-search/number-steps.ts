/**
 * Scans the numbers of events in steps whose size follows how long they take: some events have bodies of many
 * megabytes.
 */
import type { Database } from 'better-sqlite3'
import { runWithTimeout } from '../sqlite/run-with-timeout.js'

/** Initial and maximum size of a step. */
const initialNumbers = 16
const maxNumbers = 512
/** Target duration of a step, in milliseconds. */
const stepMs = 2

/** Scans event numbers in steps of suitable size. */
export class NumberSteps {
  #size = initialNumbers

  /** Scans from the number after `at` up to `end`. */
  constructor(
    public at: number,
    readonly end: number
  ) {}

  /** True once all numbers have been scanned. */
  get isDone(): boolean {
    return this.at >= this.end
  }

  /**
   * Returns the first row among the next numbers, and continues after it; `undefined` if there is none. `find` runs a
   * statement with a time limit. If it throws, the next step is smaller.
   */
  next<Row extends { readonly number: number }>(
    db: Database,
    find: (after: number, to: number) => Row | undefined
  ): Row | undefined {
    const to = Math.min(this.at + this.#size, this.end)
    const start = performance.now()
    const size = this.#size
    this.#size = Math.max(1, Math.floor(size / 4))
    const { found, last = to } = runWithTimeout(db, stepMs, () => find(this.at, to))
    const isSlow = performance.now() - start > stepMs
    this.#size = isSlow ? Math.max(1, Math.floor(size / 2)) : Math.min(size * 2, maxNumbers)
    // If no row was scanned, there are no events with these numbers any more.
    this.at = found ? found.number : Math.max(last, this.at)
    return found
  }
}
