/**
 * Finds events by time of modification: if few events have changed since a time, this is faster, and they are sorted in
 * memory.
 */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'
import { isBefore, type Key } from './position.js'
import { tryWithinBudget } from './query-budget.js'
import type { EventQuery } from './query.js'
import { runFiltered, rowCondition, type RowFilter } from './row-filter.js'

const modifiedAfterClause = 'event INDEXED BY event_modified WHERE modified > ?'

/** Counts the events modified after a time, up to a limit. */
export function countModified(db: Database, since: number, limit: number): number {
  return column(db, `SELECT count(*) FROM (SELECT 1 FROM ${modifiedAfterClause} LIMIT +?)`).get(
    since,
    limit
  ) as number
}

/**
 * Returns the keys of all matching events, in order; `undefined` if that exceeds the work limit. Examines every event
 * modified since.
 */
export function findModifiedKeys(
  db: Database,
  query: EventQuery,
  { budget, test }: Pick<RowFilter, 'budget' | 'test'>
): Key[] | undefined {
  const { modifiedSince = -Infinity, from = -Infinity, to = Infinity, isRunning, trashed, order } = query
  const sql = `SELECT time, number FROM event INDEXED BY event_modified
    WHERE ${rowCondition} AND time <= ? AND trashed BETWEEN ? AND ?`
  const filter = { modifiedAfter: modifiedSince, endFrom: isRunning ? Infinity : from, test, budget }
  const found = tryWithinBudget(() =>
    runFiltered(db, filter, (modified, end) =>
      statement(db, sql).all(modified, end, to, trashed[0], trashed.at(-1))
    )
  ) as Key[] | undefined
  return found?.toSorted((a, b) => (isBefore(a, b, order) ? -1 : 1))
}
