/** Clients of OAuth that have registered themselves, kept as long as they are used. */
import type { Database } from 'better-sqlite3'
import type { RegisteredClient } from '../../schemas/oauth.js'
import { column, statement } from '../sqlite/statements.js'

/** Seconds between two notes of a client's use: each is a synced write. */
const noteInterval = 86_400

export class OAuthClientRepository {
  constructor(
    private readonly db: Database,
    private readonly write: <T>(work: () => T) => T
  ) {}

  find(id: string): RegisteredClient | undefined {
    const body = column(this.db, 'SELECT body FROM oauth_client WHERE id = ?').get(id) as string | undefined
    return body === undefined ? undefined : (JSON.parse(body) as RegisteredClient)
  }

  /** Adds a client. Returns `false` if there are `limit` already. */
  insert(client: RegisteredClient, now: number, limit: number): boolean {
    return this.write(() => {
      const count = column(this.db, 'SELECT count(*) FROM oauth_client').get() as number
      if (count >= limit) return false
      const sql = 'INSERT INTO oauth_client (id, used, body) VALUES (?, ?, ?)'
      statement(this.db, sql).run(client.id, now, JSON.stringify(client))
      return true
    })
  }

  /** Notes that a client is used, once a day. */
  use(id: string, now: number): void {
    const used = column(this.db, 'SELECT used FROM oauth_client WHERE id = ?').get(id) as number | undefined
    if (used === undefined || now - used < noteInterval) return
    this.write(() => statement(this.db, 'UPDATE oauth_client SET used = ? WHERE id = ?').run(now, id))
  }

  /** Removes clients that were last used before `time` (seconds). */
  removeUnused(time: number): void {
    const isAny = column(this.db, 'SELECT 1 FROM oauth_client WHERE used < ? LIMIT 1').get(time) !== undefined
    if (isAny) this.write(() => statement(this.db, 'DELETE FROM oauth_client WHERE used < ?').run(time))
  }
}
