/** What signing in needs beside passwords: tokens for one step, kept as digests, and states such as that of the second factor. */
import { createHash } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'

/** What a token is good for. */
export type TokenKind = 'reset' | 'mfa' | 'email'

export class SignInRepository {
  constructor(private readonly db: Database) {}

  /** Keeps a token until it expires (seconds), with what goes with it. Those that have expired at `now` go. */
  insert(kind: TokenKind, token: string, now: number, expires: number, body: unknown): void {
    statement(this.db, 'DELETE FROM sign_in_token WHERE expires <= ?').run(now)
    const sql = 'INSERT INTO sign_in_token (hash, kind, expires, body) VALUES (?, ?, ?, ?)'
    statement(this.db, sql).run(digest(token), kind, expires, JSON.stringify(body))
  }

  /** What goes with a token that is good at `now`; `undefined` for any other. */
  find(kind: TokenKind, token: string, now: number): unknown {
    const sql = 'SELECT body FROM sign_in_token WHERE hash = ? AND kind = ? AND expires > ?'
    const body = column(this.db, sql).get(digest(token), kind, now) as string | undefined
    return body === undefined ? undefined : JSON.parse(body)
  }

  remove(token: string): void {
    statement(this.db, 'DELETE FROM sign_in_token WHERE hash = ?').run(digest(token))
  }

  /** Removes all tokens of a kind. */
  removeAll(kind: TokenKind): void {
    statement(this.db, 'DELETE FROM sign_in_token WHERE kind = ?').run(kind)
  }

  /** Removes those of a kind that expire first, until so many are left. */
  keepLatest(kind: TokenKind, count: number): void {
    const sql = `DELETE FROM sign_in_token WHERE kind = ? AND hash NOT IN
      (SELECT hash FROM sign_in_token WHERE kind = ? ORDER BY expires DESC LIMIT +?)`
    statement(this.db, sql).run(kind, kind, count)
  }

  /** Number of tokens of a kind that are good at `now`. */
  count(kind: TokenKind, now: number): number {
    const sql = 'SELECT count(*) FROM sign_in_token WHERE kind = ? AND expires > ?'
    return column(this.db, sql).get(kind, now) as number
  }

  /** A state by its name; `undefined` if there is none. */
  state(name: string): unknown {
    const body = column(this.db, 'SELECT body FROM sign_in_state WHERE name = ?').get(name) as
      string | undefined
    return body === undefined ? undefined : JSON.parse(body)
  }

  setState(name: string, value: unknown): void {
    const sql = `INSERT INTO sign_in_state (name, body) VALUES (?, ?)
      ON CONFLICT (name) DO UPDATE SET body = excluded.body`
    statement(this.db, sql).run(name, JSON.stringify(value))
  }

  removeState(name: string): void {
    statement(this.db, 'DELETE FROM sign_in_state WHERE name = ?').run(name)
  }
}

/** Tokens are random enough that a plain digest cannot be turned back. */
function digest(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}
