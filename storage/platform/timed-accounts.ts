/** The accounts that may have work at certain times, and when it is due. (docs/architecture.md#timers) */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'
import type { Account } from './account.js'

/** States that due times of a shard are right, except of accounts whose files have changed since. */
export interface TimedNote {
  /** Index of the thread that serves the accounts. */
  readonly shard: number
  /** In seconds, by the clock of the system. */
  readonly at: number
  /** What due times depend on besides files. */
  readonly key: string
}

/** An account by its id, and when its next work is due, in seconds; `null` if the next start has to look. */
export type DueTime = readonly [id: string, due: number | null]

/** The accounts with timed work. Changed by commands only. (storage/platform/commands.ts) */
export class TimedAccountRepository {
  constructor(private readonly db: Database) {}

  /** Returns whether an account is marked as possibly having timed work. */
  has(id: string): boolean {
    return column(this.db, 'SELECT 1 FROM timed_account WHERE account = ?').get(id) !== undefined
  }

  /** Has the next start look at an account, if it exists. */
  mark(id: string): void {
    const sql = 'INSERT OR REPLACE INTO timed_account (account) SELECT id FROM account WHERE id = ?'
    statement(this.db, sql).run(id)
  }

  /** Removes the marks of accounts that have no such work. */
  unmark(ids: readonly string[]): void {
    for (const id of ids) statement(this.db, 'DELETE FROM timed_account WHERE account = ?').run(id)
  }

  /** Stores when the work of marked accounts is due. With a note, all due times of its shard are right. */
  setDue(dueTimes: readonly DueTime[], note?: TimedNote): void {
    for (const [id, due] of dueTimes)
      statement(this.db, 'UPDATE timed_account SET due = ? WHERE account = ?').run(due, id)
    if (note)
      statement(this.db, 'INSERT OR REPLACE INTO timed_account_note (shard, at, key) VALUES (?, ?, ?)').run(
        note.shard,
        note.at,
        note.key
      )
  }

  /** Returns the last note of a shard. */
  findNote(shard: number): TimedNote | undefined {
    const sql = 'SELECT shard, at, key FROM timed_account_note WHERE shard = ?'
    return statement(this.db, sql).get(shard) as TimedNote | undefined
  }

  /** Lists the accounts in use that may have timed work. `due`: see {@link DueTime}. */
  list(): (Account & { readonly due: number | null })[] {
    const sql = `SELECT account.*, due FROM timed_account JOIN account ON account = id
      WHERE state = 'active' AND relocatedTo IS NULL AND suspended IS NULL AND deletion IS NULL ORDER BY id`
    return statement(this.db, sql).all() as (Account & { readonly due: number | null })[]
  }
}
