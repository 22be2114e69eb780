/** Requests of apps for an access, from the question to an hour later. (docs/spec/app-authorization.md#states) */
import type { Database } from 'better-sqlite3'
import type { AuthRequest, Decision } from '../../schemas/auth-request.js'
import { statement } from '../sqlite/statements.js'

/** Where a request came from. */
export interface Asker {
  readonly ip: string
  /** As the `Origin` header says: that of a page. */
  readonly origin?: string
}

/** A request that is under way. */
export interface OpenRequest {
  readonly key: string
  /** Seconds. */
  readonly expires: number
  readonly request: AuthRequest
  /** The page on which the user decides. */
  readonly page: string
  /** Who asked: absent in requests of earlier versions. */
  readonly asker?: Asker
}

/** A request with what has been decided. */
export interface KnownRequest extends OpenRequest {
  readonly decision?: Decision
  /** Whose access was given. */
  readonly username?: string
}

interface Row {
  readonly key: string
  readonly expires: number
  readonly body: string
  readonly decision: string | null
  readonly username: string | null
}

/** Runs work in one transaction. */
type Write = <T>(work: () => T) => T

export class AuthRequestRepository {
  constructor(
    private readonly db: Database,
    private readonly write: Write
  ) {}

  /** A request that has not expired. */
  find(key: string, now: number): KnownRequest | undefined {
    const sql =
      'SELECT key, expires, body, decision, username FROM auth_request LEFT JOIN account ON account = id WHERE key = ? AND expires > ?'
    const row = statement(this.db, sql).get(key, now) as Row | undefined
    return row && known(row)
  }

  /** Adds a request. With more than `limit` of them the oldest go: a flood ends with itself, and the disk stays free. */
  insert({ key, expires, request, page, asker }: OpenRequest, now: number, limit: number): void {
    this.write(() => {
      this.#removeExpired(now)
      const sql = 'INSERT INTO auth_request (key, expires, body) VALUES (?, ?, ?)'
      statement(this.db, sql).run(key, expires, JSON.stringify({ request, page, asker }))
      const oldest =
        'DELETE FROM auth_request WHERE key IN (SELECT key FROM auth_request ORDER BY expires LIMIT max(0, (SELECT count(*) FROM auth_request) - ?))'
      statement(this.db, oldest).run(limit)
    })
  }

  /** Decides a request: once, whoever comes first. `false` if it is decided already, or gone. */
  decide(key: string, decision: Decision, account: string | undefined, now: number): boolean {
    const sql =
      'UPDATE auth_request SET decision = ?, account = ? WHERE key = ? AND decision IS NULL AND expires > ?'
    return this.write(
      () => statement(this.db, sql).run(JSON.stringify(decision), account ?? null, key, now).changes === 1
    )
  }

  /** Removes what nobody can ask for any more. */
  removeExpired(now: number): void {
    this.write(() => this.#removeExpired(now))
  }

  #removeExpired(now: number): void {
    statement(this.db, 'DELETE FROM auth_request WHERE expires <= ?').run(now)
  }
}

function known({ key, expires, body, decision, username }: Row): KnownRequest {
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
