/**
 * State of signing in other than passwords: one-time tokens, stored as digests, and states such as that of the second
 * factor.
 */
import type { Database } from 'better-sqlite3'
import { digestSecret } from '../../schemas/secret-digest.js'
import { column, statement } from '../sqlite/statements.js'
import type { StoredLetter } from '../../schemas/plans/letter.js'

/** The purpose of a token. Used tokens of kind `challenge` are kept so that no challenge is used twice. */
type TokenKind = 'reset' | 'mfa' | 'email' | 'identity' | 'challenge' | 'oauth-code' | 'oauth-used'

export class SignInRepository {
  constructor(private readonly db: Database) {}

  /** Stores a token with its data; `expires` in seconds. Removes tokens that have expired at `now`. */
  insert(kind: TokenKind, token: string, now: number, expires: number, body: unknown): void {
    statement(this.db, 'DELETE FROM sign_in_token WHERE expires <= ?').run(now)
    const sql = 'INSERT INTO sign_in_token (hash, kind, expires, body) VALUES (?, ?, ?, ?)'
    statement(this.db, sql).run(digestSecret(token), kind, expires, JSON.stringify(body))
  }

  /** Returns the data of a token that is valid at `now`; `undefined` for any other token. */
  find(kind: TokenKind, token: string, now: number): unknown {
    const sql = 'SELECT body FROM sign_in_token WHERE hash = ? AND kind = ? AND expires > ?'
    const body = column(this.db, sql).get(digestSecret(token), kind, now) as string | undefined
    return body === undefined ? undefined : JSON.parse(body)
  }

  /** Removes a token. */
  remove(token: string): void {
    statement(this.db, 'DELETE FROM sign_in_token WHERE hash = ?').run(digestSecret(token))
  }

  /** Removes all tokens of a kind. */
  removeAll(kind: TokenKind): void {
    statement(this.db, 'DELETE FROM sign_in_token WHERE kind = ?').run(kind)
  }

  /** Keeps the `count` tokens of a kind that expire last, and removes the others. */
  keepLatest(kind: TokenKind, count: number): void {
    const sql = `DELETE FROM sign_in_token WHERE kind = ? AND hash NOT IN
      (SELECT hash FROM sign_in_token WHERE kind = ? ORDER BY expires DESC LIMIT +?)`
    statement(this.db, sql).run(kind, kind, count)
  }

  /** Counts the tokens of a kind that are valid at `now`. */
  count(kind: TokenKind, now: number): number {
    const sql = 'SELECT count(*) FROM sign_in_token WHERE kind = ? AND expires > ?'
    return column(this.db, sql).get(kind, now) as number
  }

  /** Returns a state by its name; `undefined` if there is none. */
  getState(name: string): unknown {
    const body = column(this.db, 'SELECT body FROM sign_in_state WHERE name = ?').get(name) as
      | string
      | undefined
    return body === undefined ? undefined : JSON.parse(body)
  }

  /** Stores a state under a name, as JSON. */
  setState(name: string, value: unknown): void {
    const sql = `INSERT INTO sign_in_state (name, body) VALUES (?, ?)
      ON CONFLICT (name) DO UPDATE SET body = excluded.body`
    statement(this.db, sql).run(name, JSON.stringify(value))
  }

  /** Removes a state, if there is one. */
  removeState(name: string): void {
    statement(this.db, 'DELETE FROM sign_in_state WHERE name = ?').run(name)
  }
}

/** The weekly letter of one account. Cached while the file is open: it is asked for after many changes. */
const stateName = 'letter'

export class LetterRepository {
  #cached: { readonly letter: StoredLetter | undefined } | undefined

  constructor(private readonly signIn: SignInRepository) {}

  /** Returns the letter; `undefined` if the user has never turned it on. */
  find(): StoredLetter | undefined {
    this.#cached ??= { letter: this.signIn.getState(stateName) as StoredLetter | undefined }
    return this.#cached.letter
  }

  /** Stores the letter, in place of the former one. */
  put(letter: StoredLetter): void {
    this.signIn.setState(stateName, letter)
    this.#cached = { letter }
  }

  /** Drops the cache: it may hold what was rolled back. */
  invalidate(): void {
    this.#cached = undefined
  }
}
