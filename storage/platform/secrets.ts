/** Random secrets of the platform. */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'

/** A secret, random, in base64url; or a key, as JSON. */
export interface Secret {
  readonly name: string
  readonly value: string
}

/** The secrets. What changes them is done by commands alone. (storage/platform/commands.ts) */
export class SecretRepository {
  readonly #cached = new Map<string, string>()

  constructor(private readonly db: Database) {}

  /** Returns the secret of a name; `undefined` if there is none. */
  find(name: string): string | undefined {
    let value = this.#cached.get(name)
    if (value !== undefined) return value
    value = column(this.db, 'SELECT value FROM secret WHERE name = ?').get(name) as string | undefined
    if (value !== undefined) this.#cached.set(name, value)
    return value
  }

  /** Adds secrets, but for those whose name there is already. */
  add(secrets: readonly Secret[]): void {
    const sql = 'INSERT OR IGNORE INTO secret (name, value) VALUES (?, ?)'
    for (const { name, value } of secrets) statement(this.db, sql).run(name, value)
  }

  /** The secrets whose names begin so, by name. Read anew each time: other threads may have added some. */
  list(prefix: string): Secret[] {
    const sql = 'SELECT name, value FROM secret WHERE substr(name, 1, ?) = ? ORDER BY name'
    return statement(this.db, sql).all(prefix.length, prefix) as Secret[]
  }

  /** Adds a secret, and removes others. */
  replace(secret: Secret, former: readonly string[]): void {
    this.add([secret])
    for (const name of former) statement(this.db, 'DELETE FROM secret WHERE name = ?').run(name)
  }
}
