/** What connections have stored, and which of it users have changed since. (docs/decisions/0019-imports.md) */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'

/** A range of points that users have written or removed, in deltaTimes, both ends inclusive. */
export interface TouchedRange {
  readonly first: number
  readonly last: number
  readonly isRemoved: 0 | 1
}

/** Maximum number of series that are remembered as received. */
const maxRemembered = 1000

export class ReceivedRepository {
  /** Ids of series that connections have written to. */
  readonly #series = new Set<string>()

  constructor(private readonly db: Database) {}

  /** Returns the event that an item became. Returns `undefined` if it has not been received. */
  findItem(id: string): string | undefined {
    return column(this.db, 'SELECT event FROM received_item WHERE id = ?').get(id) as string | undefined
  }

  /** Records which event an item became. Keeps the event that is already recorded, if any. */
  setItem(id: string, event: string): void {
    statement(this.db, 'INSERT OR IGNORE INTO received_item (id, event) VALUES (?, ?)').run(id, event)
  }

  /** Returns true if connections have written points to a series. */
  hasSeries(id: string): boolean {
    return this.#series.has(id) || this.findItem(id) !== undefined
  }

  /** Records that a connection has written points to a series. */
  addSeries(id: string): void {
    if (this.#series.has(id)) return
    this.setItem(id, id)
    if (this.#series.size >= maxRemembered) this.#series.clear()
    this.#series.add(id)
  }

  /** Lists the ranges of a series that users have changed and that overlap a range. */
  listTouched(event: number, from: number, to: number): TouchedRange[] {
    const sql =
      'SELECT first, last, isRemoved FROM touched_points WHERE event = ? AND first <= ? AND last >= ?'
    return statement(this.db, sql).all(event, to, from) as TouchedRange[]
  }

  /** Adds a range that a user has changed; joins it with the ranges that it overlaps. */
  addTouched(event: number, { first, isRemoved, last }: TouchedRange): void {
    const overlapping = `FROM touched_points WHERE event = ? AND isRemoved = ? AND first <= ? AND last >= ?`
    const key = [event, isRemoved, last, first]
    const joined = statement(
      this.db,
      `SELECT min(first, ?) AS first, max(last, ?) AS last FROM
        (SELECT coalesce(min(first), ?) AS first, coalesce(max(last), ?) AS last ${overlapping})`
    ).get(first, last, first, last, ...key) as { first: number; last: number }
    statement(this.db, `DELETE ${overlapping}`).run(...key)
    const sql = 'INSERT INTO touched_points (event, first, last, isRemoved) VALUES (?, ?, ?, ?)'
    statement(this.db, sql).run(event, joined.first, joined.last, isRemoved)
  }

  /** Drops the cache: it may hold what was rolled back. */
  invalidate(): void {
    this.#series.clear()
  }
}
