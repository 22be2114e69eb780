/** What operators have decided about accounts, and the accounts as they look for them. */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'
import type { Account } from './account.js'

/** The standings. What changes them is done by commands alone. (storage/platform/commands.ts) */
export class AccountStatusRepository {
  constructor(private readonly db: Database) {}

  /** Notes since when (seconds) an account is suspended; `null` when it is open again. */
  suspend(id: string, since: number | null): void {
    statement(this.db, 'UPDATE account SET suspended = ? WHERE id = ?').run(since, id)
  }

  /** Notes how many bytes an account may store, 0 for any number; `null` for what the settings say. */
  limit(id: string, bytes: number | null): void {
    statement(this.db, 'UPDATE account SET quota = ? WHERE id = ?').run(bytes, id)
  }

  /** The account of an id, also one that is suspended or has moved. */
  find(id: string): Account | undefined {
    const sql = "SELECT * FROM account WHERE id = ? AND state = 'active'"
    return statement(this.db, sql).get(id) as Account | undefined
  }

  /** The next accounts by name after `after` whose name contains a text, suspended and moved ones too. */
  search(text: string, after: string, limit: number): Account[] {
    const sql = `SELECT * FROM account WHERE state = 'active' AND username > ? AND instr(username, ?) > 0
      ORDER BY username LIMIT +?`
    return statement(this.db, sql).all(after, text, limit) as Account[]
  }

  /** Numbers of accounts: all, suspended ones, those that have moved, and those scheduled for deletion. */
  counts(): {
    readonly accounts: number
    readonly suspended: number
    readonly moved: number
    readonly closing: number
  } {
    const sql = `SELECT count(*) AS accounts, count(suspended) AS suspended, count(relocatedTo) AS moved,
      count(deletion) AS closing FROM account WHERE state = 'active'`
    return statement(this.db, sql).get() as ReturnType<AccountStatusRepository['counts']>
  }

  /** The version of SQLite. */
  sqliteVersion(): string {
    return column(this.db, 'SELECT sqlite_version()').get() as string
  }
}
