/** Values of account fields that the user has set or confirmed, as opposed to those set by apps. */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'

export class ConfirmedValues {
  constructor(private readonly db: Database) {}

  /** Returns the last confirmed value of a field; `undefined` if there is none. */
  find(field: string): unknown {
    const value = column(this.db, 'SELECT value FROM confirmed_value WHERE field = ?').get(field)
    return typeof value === 'string' ? JSON.parse(value) : undefined
  }

  /** Marks the value of a field as not confirmed. */
  remove(field: string): void {
    statement(this.db, 'DELETE FROM confirmed_value WHERE field = ?').run(field)
  }

  /** Marks a value of a field as confirmed. */
  set(field: string, value: unknown): void {
    const sql = `INSERT INTO confirmed_value (field, value) VALUES (?, ?)
      ON CONFLICT (field) DO UPDATE SET value = excluded.value`
    statement(this.db, sql).run(field, JSON.stringify(value))
  }
}
