/**
 * The cost of testing rows for streams: an event may be in ten thousand of them, and a query have hundreds of criteria.
 * Work is counted in characters of stream lists, or as many criteria; 100,000 take one or two milliseconds.
 */

/** Maximum work of one statement, beyond its first row. */
export const maxStatementWork = 128 * 1024
/** Approximate maximum work of a page, and the work that counts as one examined row. */
const workPerPage = 4 * maxStatementWork
const workPerRow = 128

/** Thrown by a statement that exceeds its work limit. */
export class WorkLimitExceeded extends Error {}

/** Tracks the cost of one query's tests, and how many rows its next statement may examine. */
export class QueryBudget {
  work = 0
  #rows = Infinity

  /** Rows that a statement may examine: fewer after expensive statements. */
  get rows(): number {
    return this.#rows
  }

  /** True once a page has reached its work limit. */
  get isExhausted(): boolean {
    return this.work >= workPerPage
  }

  /** Returns the work since the last call, in examined rows. */
  takeRows(): number {
    const rows = Math.floor(this.work / workPerRow)
    this.work = 0
    return rows
  }

  /**
   * Runs a statement for `rows` rows, or for fewer if it throws {@link WorkLimitExceeded}; returns the result and the
   * number of rows for which the statement ran.
   */
  runWithinBudget<T>(rows: number, run: (rows: number) => T): { readonly found: T; readonly rows: number } {
    for (;;) {
      const allowed = Math.min(rows, this.#rows)
      try {
        const found = run(allowed)
        if (allowed === this.#rows) this.#rows *= 2
        return { found, rows: allowed }
      } catch (error) {
        if (!(error instanceof WorkLimitExceeded)) throw error
        this.#rows = Math.max(1, Math.floor(allowed / 4))
      }
    }
  }
}

/** Runs a statement; returns `undefined` if it throws {@link WorkLimitExceeded}. */
export function tryWithinBudget<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    if (error instanceof WorkLimitExceeded) return undefined
    throw error
  }
}
