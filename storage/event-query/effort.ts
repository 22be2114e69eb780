/**
 * What it costs to test rows for streams: an event may be in ten thousand of them, and a query have hundreds of criteria.
 * Work is counted in characters of lists of streams, or as many criteria; 100,000 take a millisecond or two.
 */

/** Work of one statement, beyond its first row. */
export const mostWork = 128 * 1024
/** Work of a page, about; and what counts as much as a row that it looks at. */
const workOfPage = 4 * mostWork
const workOfRow = 128

/** Thrown by a statement that looks at more than there is time for. */
export class TooMuchWork extends Error {}

/** What the tests of one query have cost, and how many rows its next statement looks at. */
export class Effort {
  work = 0
  #rows = Infinity

  /** Rows that a statement may look at: fewer where the last ones were much work. */
  get rows(): number {
    return this.#rows
  }

  /** Whether a page has done enough. */
  get isMuch(): boolean {
    return this.work >= workOfPage
  }

  /** The work since this was last asked for, in rows that are looked at. */
  takeRows(): number {
    const rows = Math.floor(this.work / workOfRow)
    this.work = 0
    return rows
  }

  /** Runs a statement for so many rows, or for fewer where it throws {@link TooMuchWork}; answers for how many. */
  fitting<T>(rows: number, run: (rows: number) => T): { readonly found: T; readonly rows: number } {
    for (;;) {
      const most = Math.min(rows, this.#rows)
      try {
        const found = run(most)
        if (most === this.#rows) this.#rows *= 2
        return { found, rows: most }
      } catch (error) {
        if (!(error instanceof TooMuchWork)) throw error
        this.#rows = Math.max(1, Math.floor(most / 4))
      }
    }
  }
}

/** Runs a statement; `undefined` where it throws {@link TooMuchWork}. */
export function inBounds<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    if (error instanceof TooMuchWork) return undefined
    throw error
  }
}
