/** OAuth clients that have registered themselves. They expire when they are not used. */
import type { Database } from 'better-sqlite3'
import type { RegisteredClient } from '../../schemas/oauth.js'
import { column, statement } from '../sqlite/statements.js'

/** Seconds between two records of a client's use: each is a synced write. */
const recordInterval = 86_400

/** The clients. Changed by commands only. (storage/platform/commands.ts) */
export class OAuthClientRepository {
  constructor(private readonly db: Database) {}

  find(id: string): RegisteredClient | undefined {
    const body = column(this.db, 'SELECT body FROM oauth_client WHERE id = ?').get(id) as string | undefined
    return body === undefined ? undefined : (JSON.parse(body) as RegisteredClient)
  }

  /**
   * Adds a client. If there are `limit` clients already, replaces the oldest unused client that was created before
   * `idleSince` (seconds); returns `false` if there is no such client.
   */
  insert(client: RegisteredClient, now: number, limit: number, idleSince: number): boolean {
    const count = column(this.db, 'SELECT count(*) FROM oauth_client').get() as number
    if (count >= limit) {
      const oldest = `DELETE FROM oauth_client WHERE id = (SELECT id FROM oauth_client
        WHERE used < ? AND used = json_extract(body, '$.created') ORDER BY used, id LIMIT 1)`
      if (statement(this.db, oldest).run(idleSince).changes === 0) return false
    }
    const sql = 'INSERT INTO oauth_client (id, used, body) VALUES (?, ?, ?)'
    statement(this.db, sql).run(client.id, now, JSON.stringify(client))
    return true
  }

  /**
   * Returns the time (seconds) to record as a client's last use: on the first use, and then once a day; `undefined`
   * otherwise.
   */
  getUseToRecord(id: string, now: number): number | undefined {
    const sql = `SELECT used, used = json_extract(body, '$.created') AS isFirst FROM oauth_client WHERE id = ?`
    const row = statement(this.db, sql).get(id) as { used: number; isFirst: 0 | 1 } | undefined
    if (!row || (row.isFirst === 0 && now - row.used < recordInterval)) return undefined
    // Always later than its creation: that distinguishes it from unused clients.
    return Math.max(now, row.used + 1)
  }

  /** Records when (seconds) a client was used. */
  use(id: string, time: number): void {
    statement(this.db, 'UPDATE oauth_client SET used = max(used, ?) WHERE id = ?').run(time, id)
  }

  /** Returns whether any client was last used before `time` (seconds). */
  hasUnused(time: number): boolean {
    return column(this.db, 'SELECT 1 FROM oauth_client WHERE used < ? LIMIT 1').get(time) !== undefined
  }

  /** Removes clients that were last used before `time` (seconds). */
  removeUnused(time: number): void {
    statement(this.db, 'DELETE FROM oauth_client WHERE used < ?').run(time)
  }
}
