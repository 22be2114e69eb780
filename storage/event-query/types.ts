/** Event types and the numbers that stand for them in one user's file. */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'

/** Types remembered per open file; more are looked up again. */
const remembered = 1000

export class TypeNumbers {
  #known = new Map<string, number>()

  constructor(private readonly db: Database) {}

  /** The number of a type, if any event has ever had it. */
  find(name: string): number | undefined {
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const number = column(this.db, 'SELECT number FROM event_type WHERE name = ?').get(name) as
      | number
      | undefined
    return number === undefined ? undefined : this.#remember(name, number)
  }

  /** The number of a type, which it gets now if it has none. Only within a write. */
  ensure(name: string): number {
    const known = this.find(name)
    if (known !== undefined) return known
    const { lastInsertRowid } = statement(this.db, 'INSERT INTO event_type (name) VALUES (?)').run(name)
    return this.#remember(name, Number(lastInsertRowid))
  }

  /** The numbers of all types of a class: `mass` for `mass/kg` and its like. */
  ofClass(name: string): number[] {
    // `0` follows `/`.
    const sql = 'SELECT number FROM event_type WHERE name > ? AND name < ?'
    return column(this.db, sql).all(`${name}/`, `${name}0`) as number[]
  }

  /** Drops what is remembered: it may have been rolled back. */
  forget(): void {
    this.#known = new Map()
  }

  #remember(name: string, number: number): number {
    if (this.#known.size >= remembered) this.#known.clear()
    this.#known.set(name, number)
    return number
  }
}
