/** What belongs to the account itself: passwords and account fields. */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../statements.js'

/** A password that is or was in force. `created` in seconds. */
export interface PasswordRecord {
  readonly hash: string
  readonly created: number
}

export class AccountRepository {
  constructor(private readonly db: Database) {}

  /** The password in force. */
  password(): PasswordRecord | undefined {
    const sql = 'SELECT hash, created FROM password ORDER BY number DESC LIMIT 1'
    return statement(this.db, sql).get() as PasswordRecord | undefined
  }

  /** The last so many passwords, the one in force first. */
  passwords(limit: number): PasswordRecord[] {
    const sql = 'SELECT hash, created FROM password ORDER BY number DESC LIMIT +?'
    return statement(this.db, sql).all(limit) as PasswordRecord[]
  }

  /** Puts a password in force; of earlier ones so many are kept that there are `kept` in all. */
  insertPassword({ hash, created }: PasswordRecord, kept = 24): void {
    const sql = 'INSERT INTO password (hash, created) VALUES (?, ?)'
    const { lastInsertRowid } = statement(this.db, sql).run(hash, created)
    statement(this.db, 'DELETE FROM password WHERE number <= ?').run(Number(lastInsertRowid) - kept)
  }

  /** The value of an account field (`email`, `language`, …), `undefined` if it was never set. */
  field(name: string): unknown {
    const value = column(this.db, 'SELECT value FROM account_field WHERE name = ?').get(name) as
      string | undefined
    return value === undefined ? undefined : JSON.parse(value)
  }

  setField(name: string, value: unknown): void {
    // Not `OR REPLACE`: that removes rows without the triggers that count them.
    const sql = `INSERT INTO account_field (name, value) VALUES (?, ?)
      ON CONFLICT (name) DO UPDATE SET value = excluded.value`
    statement(this.db, sql).run(name, JSON.stringify(value))
  }
}
