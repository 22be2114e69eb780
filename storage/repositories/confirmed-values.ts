/** Values of account fields that their person stands by: set by the person, or confirmed since. */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'

export class ConfirmedValues {
  constructor(private readonly db: Database) {}

  /** The value of a field that was confirmed last; `undefined` if there is none. */
  find(field: string): unknown {
    const value = column(this.db, 'SELECT value FROM confirmed_value WHERE field = ?').get(field)
    return typeof value === 'string' ? JSON.parse(value) : undefined
  }

  set(field: string, value: unknown): void {
    const sql = `INSERT INTO confirmed_value (field, value) VALUES (?, ?)
      ON CONFLICT (field) DO UPDATE SET value = excluded.value`
    statement(this.db, sql).run(field, JSON.stringify(value))
  }
}
