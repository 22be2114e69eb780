/** Lets a statement look at rows as long as there is time: what some of them hold is of many megabytes, and others wait. */
import type { Database } from 'better-sqlite3'

/** Of the statement that runs on an open file. */
interface Slot {
  /** By `performance.now`. */
  until: number
  looked: number
  last: number | undefined
  isUp: boolean
}

/** What a statement has come to in its time. */
export interface InTime<T> {
  readonly found: T
  /** Rows that it has looked at. */
  readonly looked: number
  /** The number of the last of them; absent if there was time for all. */
  readonly last: number | undefined
}

const slots = new WeakMap<Database, Slot>()

/**
 * As SQL, whether there is time for a row `e` of `event`, to be asked before anything is read of it (`CASE` keeps to the
 * order): there is for the first one, and for none after one for which there was none.
 */
export const hasTime = 'has_time(e.number)'

/** Runs a statement that holds {@link hasTime} for some milliseconds. */
export function inTime<T>(db: Database, mostMs: number, run: () => T): InTime<T> {
  let slot = slots.get(db)
  if (!slot) slots.set(db, (slot = register(db)))
  Object.assign(slot, {
    until: performance.now() + mostMs,
    looked: 0,
    last: undefined,
    isUp: false
  } satisfies Slot)
  const found = run()
  return { found, looked: slot.looked, last: slot.isUp ? slot.last : undefined }
}

function register(db: Database): Slot {
  const slot: Slot = { until: 0, looked: 0, last: undefined, isUp: false }
  db.function('has_time', { directOnly: true }, number => {
    if (slot.isUp || (slot.isUp = slot.looked > 0 && performance.now() > slot.until)) return 0
    slot.looked++
    slot.last = number as number
    return 1
  })
  return slot
}
