/**
 * What it costs to test rows for streams: an event may be in ten thousand of them, and a query have hundreds of criteria.
 * Work is counted in characters of lists of streams, or as many criteria; 100,000 take a millisecond or two.
 */

/** Work of one statement, beyond its first row. */
export const maxStatementWork = 128 * 1024
/** Work of a page, about; and what counts as much as a row that it looks at. */
const workPerPage = 4 * maxStatementWork
const workPerRow = 128

/** Thrown by a statement that looks at more than there is time for. */
export class WorkLimitExceeded extends Error {}

/** What the tests of one query have cost, and how many rows its next statement looks at. */
export class QueryBudget {
  work = 0
  #rows = Infinity

  /** Rows that a statement may look at: fewer where the last ones were much work. */
  get rows(): number {
    return this.#rows
  }

  /** Whether a page has done enough. */
  get isExhausted(): boolean {
    return this.work >= workPerPage
  }

  /** The work since this was last asked for, in rows that are looked at. */
  takeRows(): number {
    const rows = Math.floor(this.work / workPerRow)
    this.work = 0
    return rows
  }

  /** Runs a statement for so many rows, or for fewer where it throws {@link WorkLimitExceeded}; answers for how many. */
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

/** Runs a statement; `undefined` where it throws {@link WorkLimitExceeded}. */
export function tryWithinBudget<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    if (error instanceof WorkLimitExceeded) return undefined
    throw error
  }
}
