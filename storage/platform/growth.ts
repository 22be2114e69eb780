/** How the service has grown: a row for each day of more than a year. (docs/spec/administration.md#growth) */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'

/** A measurement of a day; sizes in bytes. */
export interface GrowthMeasurement {
  readonly accounts: number
  readonly documents: number
  readonly attachments: number
  readonly previews: number
  readonly others: number
}

/** A day; values that were not measured are `null`. */
export type GrowthDay = { readonly [K in keyof GrowthMeasurement]: GrowthMeasurement[K] | null } & {
  /** Days since 1970, in UTC. */
  readonly day: number
  /** Events added since the count before. */
  readonly events: number
}

/** Maximum number of stored days. */
export const maxDays = 400

const daySeconds = 86_400

/** The days. Changed by commands only. (storage/platform/commands.ts) */
export class GrowthRepository {
  constructor(private readonly db: Database) {}

  /** Lists all stored days, oldest first. */
  list(): GrowthDay[] {
    return statement(this.db, 'SELECT * FROM growth ORDER BY day').all() as GrowthDay[]
  }

  /** Returns whether the day of a time (seconds) has a measurement. */
  isMeasured(time: number): boolean {
    const sql = 'SELECT 1 FROM growth WHERE day = ? AND accounts IS NOT NULL'
    return column(this.db, sql).get(toDay(time)) !== undefined
  }

  /**
   * Stores a measurement at a time (seconds), in place of an earlier one of the same day, and removes the
   * oldest days beyond the limit.
   */
  measure(time: number, { accounts, attachments, documents, others, previews }: GrowthMeasurement): void {
    const sql = `INSERT INTO growth (day, accounts, documents, attachments, previews, others) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (day) DO UPDATE SET accounts = excluded.accounts, documents = excluded.documents,
        attachments = excluded.attachments, previews = excluded.previews, others = excluded.others`
    statement(this.db, sql).run(toDay(time), accounts, documents, attachments, previews, others)
    this.#removeOld()
  }

  /**
   * Counts the events that were added to an account; `highest` is its highest event number, which only grows. On the
   * first count events are only counted if the account `isNew`: other accounts have been restored, or were created by
   * an earlier version.
   */
  count(time: number, account: string, highest: number, isNew: boolean): void {
    const former = this.getCounted(account)
    const added = highest - (former ?? (isNew ? 0 : highest))
    const update = `INSERT INTO counted_events (account, number) SELECT id, ? FROM account WHERE id = ?
      ON CONFLICT (account) DO UPDATE SET number = excluded.number`
    statement(this.db, update).run(highest, account)
    if (added <= 0) return
    const sql = `INSERT INTO growth (day, events) VALUES (?, ?)
      ON CONFLICT (day) DO UPDATE SET events = events + excluded.events`
    statement(this.db, sql).run(toDay(time), added)
    this.#removeOld()
  }

  /**
   * Returns the number up to which the events of an account have been counted; `undefined` if they have not been
   * counted yet.
   */
  getCounted(account: string): number | undefined {
    const sql = 'SELECT number FROM counted_events WHERE account = ?'
    return column(this.db, sql).get(account) as number | undefined
  }

  /**
   * Adds days that were saved from another file; days that are there stay as they are. Removes the oldest
   * beyond the limit.
   */
  restore(days: readonly GrowthDay[]): void {
    const sql = `INSERT OR IGNORE INTO growth (day, events, accounts, documents, attachments, previews, others)
      VALUES (?, ?, ?, ?, ?, ?, ?)`
    for (const { accounts, attachments, day, documents, events, others, previews } of days)
      statement(this.db, sql).run(day, events, accounts, documents, attachments, previews, others)
    this.#removeOld()
  }

  /** Keeps a number of days, whatever their times: a clock that was wrong for a while must not remove all days. */
  #removeOld(): void {
    const sql = 'DELETE FROM growth WHERE day NOT IN (SELECT day FROM growth ORDER BY day DESC LIMIT +?)'
    statement(this.db, sql).run(maxDays)
  }
}

function toDay(time: number): number {
  return Math.floor(time / daySeconds)
}
