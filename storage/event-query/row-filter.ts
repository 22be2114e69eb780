/** Conditions that no index answers: tested row by row, the ones on streams and types by a function of ours within SQL. */
import type { Database } from 'better-sqlite3'
import { column } from '../sqlite/statements.js'
import { QueryBudget, WorkLimitExceeded, maxStatementWork } from './query-budget.js'
import type { RowTest } from './query.js'

export interface RowFilter {
  readonly modifiedAfter: number
  /** Of the end of periods, the time of others. */
  readonly endFrom: number
  readonly test: RowTest | undefined
  /** What the tests of the query have cost so far. */
  readonly budget: QueryBudget
}

/** The filter as SQL: to be run by {@link runFiltered}, which binds its two parameters. */
export const rowCondition =
  'modified > ? AND ifnull(until, time) >= ? AND event_matches(stream, others, type)'

/** In the trash, out of it, or where no list looks. */
const anyTrashState = [0, 2]

/** Of the statement that runs on an open file. */
interface FilterState {
  current: RowTest | undefined
  /** Work that it may still do. */
  workLeft: number
  hasTested: boolean
}

const states = new WeakMap<Database, FilterState>()

/** Runs a statement that holds {@link rowCondition}. Throws {@link WorkLimitExceeded}, though not for a single row. */
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
 * Those of the rows of these numbers that pass, as far as is not too much at once: of the first `looked` of them, one at
 * least. `trashed`: as in a query, where that has not been seen to.
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
