/** Counts the links sent to each email address, so that many accounts together cannot flood a stranger's mailbox. */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'

/** The counts. Changed by commands only. (storage/platform/commands.ts) */
export class MailCountRepository {
  constructor(private readonly db: Database) {}

  /**
   * Counts a mail to an address, given by its digest. Returns `false`, without counting it, if there have been `limit` since the
   * count began, `period` seconds ago at most. `now` in seconds.
   */
  add(
    digest: string,
    now: number,
    { limit, period }: { readonly limit: number; readonly period: number }
  ): boolean {
    this.removeExpired(now)
    const known = column(this.db, 'SELECT count FROM mail_count WHERE digest = ?').get(digest) as
      | number
      | undefined
    if ((known ?? 0) >= limit) return false
    const sql = `INSERT INTO mail_count (digest, count, ends) VALUES (?, 1, ?)
      ON CONFLICT (digest) DO UPDATE SET count = count + 1`
    statement(this.db, sql).run(digest, now + period)
    return true
  }

  /** Removes counts that have ended. */
  removeExpired(now: number): void {
    statement(this.db, 'DELETE FROM mail_count WHERE ends <= ?').run(now)
  }
}
