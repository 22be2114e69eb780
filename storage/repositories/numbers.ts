/**
 * Gives rows their numbers, each only once: what is in memory refers to rows by them, and a list that is read slowly goes on
 * long after a row has been removed. The schema keeps the highest number that was removed; see `highest_number`.
 */
import type { Database } from 'better-sqlite3'
import { column } from '../sqlite/statements.js'

export class Numbers {
  #last: number | undefined

  constructor(
    private readonly db: Database,
    private readonly table: 'event' | 'stream'
  ) {}

  /** The number of the next row. It is taken once that row is there: see {@link taken}. */
  next(): number {
    return (this.#last ??= this.#read()) + 1
  }

  /** Notes that a row has been added with this number. */
  taken(number: number): void {
    this.#last = number
  }

  /** Drops what is remembered: it may have been rolled back. */
  forget(): void {
    this.#last = undefined
  }

  #read(): number {
    const sql = `SELECT ifnull(max(number), 0) FROM (SELECT max(number) AS number FROM ${this.table}
      UNION ALL SELECT number FROM highest_number WHERE name = ?)`
    return column(this.db, sql).get(this.table) as number
  }
}
