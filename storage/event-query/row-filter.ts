/** Conditions that no index answers: tested row by row, the ones on streams and types by a function of ours within SQL. */
import type { Database } from 'better-sqlite3'
import { column } from '../sqlite/statements.js'
import type { RowTest } from './query.js'

export interface RowFilter {
  readonly modifiedAfter: number
  /** Of the end of periods, the time of others. */
  readonly endFrom: number
  readonly test: RowTest | undefined
}

/** The filter as SQL: to be run by {@link filtered}, which binds its two parameters. */
export const rowCondition =
  'modified > ? AND ifnull(until, time) >= ? AND event_matches(stream, others, type)'

/** In the trash, out of it, or where no list looks. */
const anywhere = [0, 2]

/** The test of the statement that runs, for each open file. */
const tests = new WeakMap<Database, { current: RowTest | undefined }>()

/** Runs a statement that holds {@link rowCondition}. */
export function filtered<T>(
  db: Database,
  { modifiedAfter, endFrom, test }: RowFilter,
  run: (modifiedAfter: number, endFrom: number) => T
): T {
  let slot = tests.get(db)
  if (!slot) tests.set(db, (slot = register(db)))
  slot.current = test
  try {
    return run(modifiedAfter, endFrom)
  } finally {
    slot.current = undefined
  }
}

/** Those of the rows of these numbers that pass, in the same order; `trashed`: as in a query, where that has not been seen to. */
export function passing(
  db: Database,
  filter: RowFilter,
  numbers: readonly number[],
  trashed: readonly number[] = anywhere
): Set<number> {
  const sql = `SELECT number FROM (SELECT value FROM json_each(?)) j CROSS JOIN event e ON e.number = j.value
    WHERE ${rowCondition} AND trashed BETWEEN ? AND ?`
  return new Set(
    filtered(db, filter, (modifiedAfter, endFrom) =>
      column(db, sql).all(JSON.stringify(numbers), modifiedAfter, endFrom, trashed[0], trashed.at(-1))
    ) as number[]
  )
}

function register(db: Database): { current: RowTest | undefined } {
  const slot: { current: RowTest | undefined } = { current: undefined }
  db.function('event_matches', { directOnly: true }, (stream, others, type) =>
    !slot.current || slot.current(stream as number, others as string | null, type as number) ? 1 : 0
  )
  return slot
}
