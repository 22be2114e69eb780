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

  #stored(name: string): string {
    this.add(name, randomBytes(32).toString('base64url'))
    return column(this.db, 'SELECT value FROM secret WHERE name = ?').get(name) as string
  }
}
