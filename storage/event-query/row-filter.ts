/**
 * Conditions that no index answers: tested row by row, conditions on streams and types by a function registered with
 * SQLite.
 */
import type { Database } from 'better-sqlite3'
import { column } from '../sqlite/statements.js'
import { QueryBudget, WorkLimitExceeded, maxStatementWork } from './query-budget.js'
import type { RowTest } from './query.js'

/** The conditions that are tested row by row. */
export interface RowFilter {
  readonly modifiedAfter: number
  /** Applies to the end of periods, and to the time of other events. */
  readonly endFrom: number
  readonly test: RowTest | undefined
  /** The work done by the query's tests so far. */
  readonly budget: QueryBudget
}

/** The filter as SQL, to be run by {@link runFiltered}, which binds its two parameters. */
export const rowCondition =
  'modified > ? AND ifnull(until, time) >= ? AND event_matches(stream, others, type)'

/** Includes trashed, other and hidden events. */
const anyTrashState = [0, 2]

/** State of the statement that runs on an open file. */
interface FilterState {
  current: RowTest | undefined
  /** Work that the statement may still do. */
  workLeft: number
  hasTested: boolean
}

const states = new WeakMap<Database, FilterState>()

/** Runs a statement that contains {@link rowCondition}. Throws {@link WorkLimitExceeded}, but never for a single row. */
export function runFiltered<T>(
  db: Database,
  { budget, modifiedAfter, endFrom, test }: RowFilter,
  run: (modifiedAfter: number, endFrom: number) => T
): T {
  let state = states.get(db)
  if (!state) states.set(db, (state = registerFilterFunction(db)))
  state.current = test
  state.workLeft = maxStatementWork
  state.hasTested = false
  try {
    return run(modifiedAfter, endFrom)
  } finally {
    state.current = undefined
    budget.work += maxStatementWork - state.workLeft
  }
}

/**
 * Returns which of these rows pass, within the work limit. `tested`: the number of rows, from the first, that were
 * tested; at least one. `trashed`: as in a query, unless already checked.
 */
export function findPassingNumbers(
  db: Database,
  filter: RowFilter,
  numbers: readonly number[],
  trashed: readonly number[] = anyTrashState
): { readonly pass: ReadonlySet<number>; readonly tested: number } {
  const sql = `SELECT number FROM (SELECT value FROM json_each(?)) j CROSS JOIN event e ON e.number = j.value
    WHERE ${rowCondition} AND trashed BETWEEN ? AND ?`
  const { found, rows } = filter.budget.runWithinBudget(numbers.length, allowed =>
    runFiltered(db, filter, (modifiedAfter, endFrom) =>
      column(db, sql).all(
        JSON.stringify(numbers.slice(0, allowed)),
        modifiedAfter,
        endFrom,
        trashed[0],
        trashed.at(-1)
      )
    )
  )
  return { pass: new Set(found as number[]), tested: rows }
}

function registerFilterFunction(db: Database): FilterState {
  const state: FilterState = { current: undefined, workLeft: 0, hasTested: false }
  db.function('event_matches', { directOnly: true }, (stream, others, type) => {
    const test = state.current
    if (!test) return 1
    state.workLeft -= test.work + (others === null ? 0 : (others as string).length)
    if (state.workLeft < 0 && state.hasTested) throw new WorkLimitExceeded()
    state.hasTested = true
    return test.matches(stream as number, others as string | null, type as number) ? 1 : 0
  })
  return state
}
