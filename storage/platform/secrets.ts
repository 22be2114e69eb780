/** Random secrets of the platform. */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'

/** A random secret in base64url, or a key as JSON. */
export interface Secret {
  readonly name: string
  readonly value: string
}

/** The secrets. Changed by commands only. (storage/platform/commands.ts) */
export class SecretRepository {
  readonly #cached = new Map<string, string>()

  constructor(private readonly db: Database) {}

  /** Returns the secret of a name, and caches it; `undefined` if there is none. */
  find(name: string): string | undefined {
    let value = this.#cached.get(name)
    if (value !== undefined) return value
    value = column(this.db, 'SELECT value FROM secret WHERE name = ?').get(name) as string | undefined
    if (value !== undefined) this.#cached.set(name, value)
    return value
  }

  /** Adds secrets, except those whose name exists. */
  add(secrets: readonly Secret[]): void {
    const sql = 'INSERT OR IGNORE INTO secret (name, value) VALUES (?, ?)'
    for (const { name, value } of secrets) statement(this.db, sql).run(name, value)
  }

  /** Lists the secrets whose names have a prefix, by name. Not cached: other threads may have added secrets. */
  list(prefix: string): Secret[] {
    const sql = 'SELECT name, value FROM secret WHERE substr(name, 1, ?) = ? ORDER BY name'
    return statement(this.db, sql).all(prefix.length, prefix) as Secret[]
  }

  /** Adds a secret, and removes the secrets named in `former`. */
  replace(secret: Secret, former: readonly string[]): void {
    this.add([secret])
    for (const name of former) statement(this.db, 'DELETE FROM secret WHERE name = ?').run(name)
  }
}
