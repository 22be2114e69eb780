/** The numbers of event types in one user's file. */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'

/** Maximum number of cached types per open file. A full cache is cleared. */
const maxCached = 1000

/** The numbers of event types, cached. */
export class TypeNumbers {
  #cached = new Map<string, number>()

  constructor(private readonly db: Database) {}

  /** Returns the number of a type, if any event has ever had this type. */
  find(name: string): number | undefined {
    const cached = this.#cached.get(name)
    if (cached !== undefined) return cached
    const number = column(this.db, 'SELECT number FROM event_type WHERE name = ?').get(name) as
      | number
      | undefined
    return number === undefined ? undefined : this.#cache(name, number)
  }

  /** Returns the number of a type, assigning one if needed. Must run within a transaction. */
  ensure(name: string): number {
    const cached = this.find(name)
    if (cached !== undefined) return cached
    const { lastInsertRowid } = statement(this.db, 'INSERT INTO event_type (name) VALUES (?)').run(name)
    return this.#cache(name, Number(lastInsertRowid))
  }

  /** Lists the numbers of all types of a class, such as `mass` for `mass/kg`. */
  listClass(name: string): number[] {
    // `0` follows `/`.
    const sql = 'SELECT number FROM event_type WHERE name > ? AND name < ?'
    return column(this.db, sql).all(`${name}/`, `${name}0`) as number[]
  }

  /** Clears the cache: it may hold what was rolled back. */
  invalidate(): void {
    this.#cached = new Map()
  }

  #cache(name: string, number: number): number {
    if (this.#cached.size >= maxCached) this.#cached.clear()
    this.#cached.set(name, number)
    return number
  }
}
