/** Apps' requests for an access, kept until they expire. (docs/spec/app-authorization.md#states) */
import type { Database } from 'better-sqlite3'
import type { AuthRequest, Decision } from '../../schemas/auth-request.js'
import { statement } from '../sqlite/statements.js'

/** Where a request came from. */
interface Requester {
  readonly ip: string
  /** The `Origin` header, which pages send. */
  readonly origin?: string
}

/** A request that is open. */
export interface OpenRequest {
  readonly key: string
  /** Seconds. */
  readonly expires: number
  readonly request: AuthRequest
  /** The page on which the user decides. */
  readonly page: string
  /** The requester; absent in requests of earlier versions. */
  readonly asker?: Requester
}

/** A request with its decision, if there is one. */
export interface StoredRequest extends OpenRequest {
  readonly decision?: Decision
  /** The user who decided. */
  readonly username?: string
}

interface Row {
  readonly key: string
  readonly expires: number
  readonly body: string
  readonly decision: string | null
  readonly username: string | null
}

/** The requests. Changed by commands only. (storage/platform/commands.ts) */
export class AuthRequestRepository {
  constructor(private readonly db: Database) {}

  /** Finds a request that has not expired. */
  find(key: string, now: number): StoredRequest | undefined {
    const sql =
      'SELECT key, expires, body, decision, username FROM auth_request LEFT JOIN account ON account = id WHERE key = ? AND expires > ?'
    const row = statement(this.db, sql).get(key, now) as Row | undefined
    return row && toRequest(row)
  }

  /**
   * Adds a request, and removes expired ones. Beyond `limit` the oldest are removed, so that a flood of
   * requests cannot fill the disk.
   */
  insert({ key, expires, request, page, asker }: OpenRequest, now: number, limit: number): void {
    this.removeExpired(now)
    const sql = 'INSERT INTO auth_request (key, expires, body) VALUES (?, ?, ?)'
    statement(this.db, sql).run(key, expires, JSON.stringify({ request, page, asker }))
    const oldest = `DELETE FROM auth_request WHERE key IN (SELECT key FROM auth_request
      ORDER BY expires LIMIT max(0, (SELECT count(*) FROM auth_request) - ?))`
    statement(this.db, oldest).run(limit)
  }

  /**
   * Records the decision on a request. Only the first decision counts: returns `false` if the request is already
   * decided, or gone.
   */
  decide(key: string, decision: Decision, account: string | null, now: number): boolean {
    const sql =
      'UPDATE auth_request SET decision = ?, account = ? WHERE key = ? AND decision IS NULL AND expires > ?'
    return statement(this.db, sql).run(JSON.stringify(decision), account, key, now).changes === 1
  }

  /** Removes expired requests. */
  removeExpired(now: number): void {
    statement(this.db, 'DELETE FROM auth_request WHERE expires <= ?').run(now)
  }
}

function toRequest({ key, expires, body, decision, username }: Row): StoredRequest {
  const { request, page, asker } = JSON.parse(body) as Pick<OpenRequest, 'request' | 'page' | 'asker'>
  return {
    key,
    expires,
    request,
    page,
    ...(asker && { asker }),
    ...(decision !== null && { decision: JSON.parse(decision) as Decision }),
    ...(username !== null && { username })
  }
}
