/** Events by time of modification: where few have changed, they are found that way and sorted in memory. */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'
import { isBefore, type Key } from './position.js'
import { tryWithinBudget } from './query-budget.js'
import type { EventQuery } from './query.js'
import { runFiltered, rowCondition, type RowFilter } from './row-filter.js'

const modifiedAfterClause = 'event INDEXED BY event_modified WHERE modified > ?'

/** The number of events modified later than that, counted up to a limit. */
export function countModified(db: Database, since: number, limit: number): number {
  return column(db, `SELECT count(*) FROM (SELECT 1 FROM ${modifiedAfterClause} LIMIT +?)`).get(
    since,
    limit
  ) as number
}

/** The keys of all events that match, in order; `undefined` if that is too much work. Looks at every event modified since. */
export function findModifiedKeys(
  db: Database,
  query: EventQuery,
  { budget, test }: Pick<RowFilter, 'budget' | 'test'>
): Key[] | undefined {
  const { modifiedSince = -Infinity, from = -Infinity, to = Infinity, isRunning, trashed, order } = query
  const sql = `SELECT time, number FROM event INDEXED BY event_modified
    WHERE ${rowCondition} AND time <= ? AND trashed BETWEEN ? AND ?`
  const filter = { modifiedAfter: modifiedSince, endFrom: isRunning ? Infinity : from, test, effort: budget }
  const found = tryWithinBudget(() =>
    runFiltered(db, filter, (modified, end) =>
      statement(db, sql).all(modified, end, to, trashed[0], trashed.at(-1))
    )
  ) as Key[] | undefined
  return found?.toSorted((a, b) => (isBefore(a, b, order) ? -1 : 1))
}
