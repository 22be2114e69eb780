/** Decisions of operators about accounts, and their search for accounts. */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'
import type { Account } from './account.js'

/** The status of accounts. Changed by commands only. (storage/platform/commands.ts) */
export class AccountStatusRepository {
  constructor(private readonly db: Database) {}

  /** Records since when (seconds) an account is suspended; `null` if it is not suspended. */
  suspend(id: string, since: number | null): void {
    statement(this.db, 'UPDATE account SET suspended = ? WHERE id = ?').run(since, id)
  }

  /** Records the storage limit of an account in bytes, 0 for unlimited; `null` for the default from the settings. */
  limit(id: string, bytes: number | null): void {
    statement(this.db, 'UPDATE account SET quota = ? WHERE id = ?').run(bytes, id)
  }

  /**
   * Finds an account by id, even if it is suspended, closed or has moved; `undefined` while it is being
   * created or deleted.
   */
  find(id: string): Account | undefined {
    const sql = "SELECT * FROM account WHERE id = ? AND state = 'active'"
    return statement(this.db, sql).get(id) as Account | undefined
  }

  /**
   * Lists the next accounts by name, after the name `after`, whose name, or a former name, contains a text, including
   * suspended and moved ones.
   */
  search(text: string, after: string, limit: number): Account[] {
    const sql = `SELECT * FROM account WHERE state = 'active' AND username > @after AND (instr(username, @text) > 0
      OR id IN (SELECT account FROM former_username WHERE instr(name, @text) > 0))
      ORDER BY username LIMIT +@limit`
    return statement(this.db, sql).all({ after, text, limit }) as Account[]
  }

  /** Counts accounts: all, suspended, moved, and scheduled for deletion. */
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

  /** Returns the version of SQLite. */
  sqliteVersion(): string {
    return column(this.db, 'SELECT sqlite_version()').get() as string
  }
}
