/** Conditions that no index answers: tested row by row, the ones on streams and types by a function of ours within SQL. */
import type { Database } from 'better-sqlite3'
import { column } from '../sqlite/statements.js'
import { QueryBudget, WorkLimitExceeded, maxStatementWork } from './effort.js'
import type { RowTest } from './query.js'

export interface RowFilter {
  readonly modifiedAfter: number
  /** Of the end of periods, the time of others. */
  readonly endFrom: number
  readonly test: RowTest | undefined
  /** What the tests of the query have cost so far. */
  readonly effort: QueryBudget
}

/** The filter as SQL: to be run by {@link filtered}, which binds its two parameters. */
export const rowCondition =
  'modified > ? AND ifnull(until, time) >= ? AND event_matches(stream, others, type)'

/** In the trash, out of it, or where no list looks. */
const anywhere = [0, 2]

/** Of the statement that runs on an open file. */
interface Slot {
  current: RowTest | undefined
  /** Work that it may still do. */
  left: number
  hasLooked: boolean
}

const slots = new WeakMap<Database, Slot>()

/** Runs a statement that holds {@link rowCondition}. Throws {@link WorkLimitExceeded}, though not for a single row. */
export function filtered<T>(
  db: Database,
  { effort, modifiedAfter, endFrom, test }: RowFilter,
  run: (modifiedAfter: number, endFrom: number) => T
): T {
  let slot = slots.get(db)
  if (!slot) slots.set(db, (slot = register(db)))
  slot.current = test
  slot.left = maxStatementWork
  slot.hasLooked = false
  try {
    return run(modifiedAfter, endFrom)
  } finally {
    slot.current = undefined
    effort.work += maxStatementWork - slot.left
  }
}

/**
 * Those of the rows of these numbers that pass, as far as is not too much at once: of the first `looked` of them, one at
 * least. `trashed`: as in a query, where that has not been seen to.
 */
export function passing(
  db: Database,
  filter: RowFilter,
  numbers: readonly number[],
  trashed: readonly number[] = anywhere
): { readonly pass: ReadonlySet<number>; readonly looked: number } {
  const sql = `SELECT number FROM (SELECT value FROM json_each(?)) j CROSS JOIN event e ON e.number = j.value
    WHERE ${rowCondition} AND trashed BETWEEN ? AND ?`
  const { found, rows } = filter.effort.runWithinBudget(numbers.length, most =>
    filtered(db, filter, (modifiedAfter, endFrom) =>
      column(db, sql).all(
        JSON.stringify(numbers.slice(0, most)),
        modifiedAfter,
        endFrom,
        trashed[0],
        trashed.at(-1)
      )
    )
  )
  return { pass: new Set(found as number[]), looked: rows }
}

function register(db: Database): Slot {
  const slot: Slot = { current: undefined, left: 0, hasLooked: false }
  db.function('event_matches', { directOnly: true }, (stream, others, type) => {
    const test = slot.current
    if (!test) return 1
    slot.left -= test.work + (others === null ? 0 : (others as string).length)
    if (slot.left < 0 && slot.hasLooked) throw new WorkLimitExceeded()
    slot.hasLooked = true
    return test.meets(stream as number, others as string | null, type as number) ? 1 : 0
  })
  return slot
}
