/** The account's passwords and account fields. */
import type { Database } from 'better-sqlite3'
import type { AccountFields } from './account-fields.js'
import { column, statement } from '../sqlite/statements.js'

/** A current or former password. `created` in seconds. */
export interface PasswordRecord {
  readonly hash: string
  readonly created: number
}

export class AccountRepository {
  constructor(
    private readonly db: Database,
    private readonly fields: AccountFields
  ) {}

  /** Returns the current password; `undefined` if the account has none. */
  password(): PasswordRecord | undefined {
    const sql = 'SELECT hash, created FROM password ORDER BY number DESC LIMIT 1'
    return statement(this.db, sql).get() as PasswordRecord | undefined
  }

  /** Lists the last `limit` passwords, latest first. */
  passwords(limit: number): PasswordRecord[] {
    const sql = 'SELECT hash, created FROM password ORDER BY number DESC LIMIT +?'
    return statement(this.db, sql).all(limit) as PasswordRecord[]
  }

  /** Sets a new password, and keeps the latest `keep` passwords in total. */
  insertPassword({ hash, created }: PasswordRecord, keep = 24): void {
    const sql = 'INSERT INTO password (hash, created) VALUES (?, ?)'
    const { lastInsertRowid } = statement(this.db, sql).run(hash, created)
    statement(this.db, 'DELETE FROM password WHERE number <= ?').run(Number(lastInsertRowid) - keep)
  }

  /** Returns the active value of an account field (`email`, `language`, …); `undefined` if the field has no value. */
  field(name: string): unknown {
    const event = this.fields.findActive(name)
    if (event) return event.content
    // In the format of earlier versions, if it could not be migrated to an event.
    const value = column(this.db, 'SELECT value FROM account_field WHERE name = ?').get(name) as
      | string
      | undefined
    return value === undefined ? undefined : JSON.parse(value)
  }
}
