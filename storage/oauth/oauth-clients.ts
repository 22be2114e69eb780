/** OAuth clients that have registered themselves. They expire when they are not used. */
import type { Database } from 'better-sqlite3'
import type { RegisteredClient } from '../../schemas/oauth.js'
import { column, statement } from '../sqlite/statements.js'

/** Seconds between two records of a client's use: each is a synced write. */
const recordInterval = 86_400

/** What operators have decided about a client. */
export interface ClientState {
  /** When the client was revoked, in seconds. */
  readonly revoked?: number
  /** When each of its keys was revoked, by key id; `null` for a key that is in use again. */
  readonly keys?: Readonly<Record<string, number | null>>
}

/** The state of a client as a row, with its `body` as JSON. */
export interface StoredClientState {
  readonly client: string
  readonly body: string
}

/** The clients. Changed by commands only. (storage/platform/commands.ts) */
export class OAuthClientRepository {
  constructor(private readonly db: Database) {}

  /** Finds a client that has registered itself, also if it is revoked: see {@link isRevoked}. */
  find(id: string): RegisteredClient | undefined {
    const body = column(this.db, 'SELECT body FROM oauth_client WHERE id = ?').get(id) as string | undefined
    return body === undefined ? undefined : (JSON.parse(body) as RegisteredClient)
  }

  /** Lists at most `limit` clients that have registered themselves, those used last first. */
  list(limit: number): RegisteredClient[] {
    const sql = 'SELECT body FROM oauth_client ORDER BY used DESC, id LIMIT +?'
    return (column(this.db, sql).all(limit) as string[]).map(body => JSON.parse(body) as RegisteredClient)
  }

  /**
   * Returns what operators have decided about a client, whether or not it registered itself. Empty if they
   * have decided nothing.
   */
  findState(id: string): ClientState {
    const body = column(this.db, 'SELECT body FROM oauth_client_state WHERE client = ?').get(id)
    return body === undefined ? {} : (JSON.parse(body as string) as ClientState)
  }

  /** Returns whether an operator has revoked a client. */
  isRevoked(id: string): boolean {
    return this.findState(id).revoked !== undefined
  }

  /** Revokes a client; `time` in seconds. Returns when it was revoked, perhaps before. */
  revoke(id: string, time: number): number {
    const { revoked = time, ...state } = this.findState(id)
    this.#setState(id, { ...state, revoked })
    return revoked
  }

  /** Revokes a key of a client at `time` (seconds); `null` lets the client use it again. */
  setKey(id: string, key: string, time: number | null): void {
    const { keys, ...state } = this.findState(id)
    this.#setState(id, { ...state, keys: Object.fromEntries([...Object.entries(keys ?? {}), [key, time]]) })
  }

  /** Adds recovered states. */
  restoreStates(states: readonly StoredClientState[]): void {
    const sql = 'INSERT OR REPLACE INTO oauth_client_state (client, body) VALUES (?, ?)'
    for (const { body, client } of states) statement(this.db, sql).run(client, body)
  }

  #setState(id: string, state: ClientState): void {
    const sql = 'INSERT OR REPLACE INTO oauth_client_state (client, body) VALUES (?, ?)'
    statement(this.db, sql).run(id, JSON.stringify(state))
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

/** The clients, read-only. */
export type OAuthClientReader = Pick<
  OAuthClientRepository,
  'find' | 'findState' | 'getUseToRecord' | 'hasUnused' | 'isRevoked' | 'list'
>
