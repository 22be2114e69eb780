/** Random secrets of the platform, each generated on first use. */
import { randomBytes } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'

export class SecretRepository {
  readonly #known = new Map<string, string>()

  constructor(
    private readonly db: Database,
    private readonly write: <T>(work: () => T) => T
  ) {}

  /** Returns the secret of a name. */
  get(name: string): string {
    let value = this.#known.get(name)
    if (value === undefined) this.#known.set(name, (value = this.write(() => this.#stored(name))))
    return value
  }

  /** Adds a secret that was saved from another file, unless there is one of that name. */
  add(name: string, value: string): void {
    statement(this.db, 'INSERT OR IGNORE INTO secret (name, value) VALUES (?, ?)').run(name, value)
  }

  /** The secrets whose names begin so, by name. Read anew each time: other threads may have added some. */
  list(prefix: string): { readonly name: string; readonly value: string }[] {
    const sql = 'SELECT name, value FROM secret WHERE substr(name, 1, ?) = ? ORDER BY name'
    return statement(this.db, sql).all(prefix.length, prefix) as { name: string; value: string }[]
  }

  /** Adds a secret, and removes others, in one transaction. */
  replace(name: string, value: string, former: readonly string[]): void {
    this.write(() => {
      this.add(name, value)
      for (const each of former) statement(this.db, 'DELETE FROM secret WHERE name = ?').run(each)
    })
  }

  #stored(name: string): string {
    this.add(name, randomBytes(32).toString('base64url'))
    return column(this.db, 'SELECT value FROM secret WHERE name = ?').get(name) as string
  }
}
