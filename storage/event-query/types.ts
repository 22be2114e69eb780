/** Event types and the numbers that stand for them in one user's file. */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'

/** Types remembered per open file; more are looked up again. */
const maxCached = 1000

export class TypeNumbers {
  #cached = new Map<string, number>()

  constructor(private readonly db: Database) {}

  /** The number of a type, if any event has ever had it. */
  find(name: string): number | undefined {
    const cached = this.#cached.get(name)
    if (cached !== undefined) return cached
    const number = column(this.db, 'SELECT number FROM event_type WHERE name = ?').get(name) as
      | number
      | undefined
    return number === undefined ? undefined : this.#cache(name, number)
  }

  /** The number of a type, which it gets now if it has none. Only within a write. */
  ensure(name: string): number {
    const cached = this.find(name)
    if (cached !== undefined) return cached
    const { lastInsertRowid } = statement(this.db, 'INSERT INTO event_type (name) VALUES (?)').run(name)
    return this.#cache(name, Number(lastInsertRowid))
  }

  /** The numbers of all types of a class: `mass` for `mass/kg` and its like. */
  listClass(name: string): number[] {
    // `0` follows `/`.
    const sql = 'SELECT number FROM event_type WHERE name > ? AND name < ?'
    return column(this.db, sql).all(`${name}/`, `${name}0`) as number[]
  }

  /** Drops what is remembered: it may have been rolled back. */
  invalidate(): void {
    this.#cached = new Map()
  }

  #cache(name: string, number: number): number {
    if (this.#cached.size >= maxCached) this.#cached.clear()
    this.#cached.set(name, number)
    return number
  }
}
