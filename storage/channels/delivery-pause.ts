/** The pause of an account that was restored from an archive: until the user resumes it, it sends nothing to others. */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'

export class DeliveryPause {
  #since: number | null | undefined

  constructor(private readonly db: Database) {}

  /** Since when nothing is sent, in seconds; `null` if there is no pause. */
  get since(): number | null {
    return (this.#since ??=
      (column(this.db, 'SELECT since FROM delivery_pause LIMIT 1').get() as number | undefined) ?? null)
  }

  /** Ends the pause. */
  end(): void {
    statement(this.db, 'DELETE FROM delivery_pause').run()
    this.#since = undefined
  }

  /** Drops what is cached. */
  invalidate(): void {
    this.#since = undefined
  }
}

/** Begins a pause in a file at `now` (seconds) if anything in it could be sent, or told to peers. Returns whether it did. */
export function pauseDeliveries(db: Database, now: number): boolean {
  const sql = `INSERT INTO delivery_pause (since) SELECT ? WHERE EXISTS (SELECT 1 FROM cmc_relationship)
    OR EXISTS (SELECT 1 FROM cmc_outbox) OR EXISTS (SELECT 1 FROM channel_message WHERE next IS NOT NULL)
    OR EXISTS (SELECT 1 FROM channel WHERE json_extract(body, '$.state') = 'active')`
  return statement(db, sql).run(now).changes > 0
}
