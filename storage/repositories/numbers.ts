/**
 * Allocates row numbers that are never reused: a list that a client reads slowly refers to rows by number long after they
 * were removed. Triggers keep the highest removed number in `highest_number`.
 */
import type { Database } from 'better-sqlite3'
import { column } from '../sqlite/statements.js'

export class Numbers {
  #last: number | undefined

  constructor(
    private readonly db: Database,
    private readonly table: 'event' | 'stream'
  ) {}

  /** The number for the next row. Call {@link markUsed} once the row is inserted. */
  next(): number {
    return (this.#last ??= this.#read()) + 1
  }

  /** Notes that a row with this number was inserted. */
  markUsed(number: number): void {
    this.#last = number
  }

  /** Drops the cached number: it may have been rolled back. */
  invalidate(): void {
    this.#last = undefined
  }

  #read(): number {
    const sql = `SELECT ifnull(max(number), 0) FROM (SELECT max(number) AS number FROM ${this.table}
      UNION ALL SELECT number FROM highest_number WHERE name = ?)`
    return column(this.db, sql).get(this.table) as number
  }
}
