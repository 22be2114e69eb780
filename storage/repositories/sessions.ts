/** Open sessions of personal accesses. Uses are collected in memory and written periodically. */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'

/** Where a user last signed in from. */
interface SignInSource {
  /** Seconds. */
  readonly time: number
  /** The client's `User-Agent`, if it sent one. */
  readonly userAgent?: string
  readonly address: string
  /** The identity provider that was used, if any. */
  readonly provider?: string
}

export class SessionRepository {
  #used: Map<string, number> | undefined
  #touched = new Map<string, number>()

  constructor(private readonly db: Database) {}

  /** Whether uses wait to be written. */
  get isDirty(): boolean {
    return this.#touched.size > 0
  }

  /** Returns when the access's session was last used (seconds); `undefined` if the access has no session. */
  lastUse(access: string): number | undefined {
    return this.#touched.get(access) ?? this.#load().get(access)
  }

  /** Opens a session. */
  open(access: string, at: number): void {
    statement(this.db, 'INSERT OR REPLACE INTO session (access, used) VALUES (?, ?)').run(access, at)
    this.invalidate()
  }

  /** Records where the user signed in to a session from. */
  recordSignIn(access: string, place: SignInSource): void {
    const sql = `INSERT INTO sign_in_state (name, body) VALUES (?, ?)
      ON CONFLICT (name) DO UPDATE SET body = excluded.body`
    statement(this.db, sql).run(formatStateName(access), JSON.stringify(place))
  }

  /** Finds where the user signed in from; `undefined` for sessions opened before this was recorded. */
  findSignIn(access: string): SignInSource | undefined {
    const sql = 'SELECT body FROM sign_in_state WHERE name = ?'
    const body = column(this.db, sql).get(formatStateName(access)) as string | undefined
    return body === undefined ? undefined : (JSON.parse(body) as SignInSource)
  }

  /** Ends a session. Returns `false` if the access had no session. */
  end(access: string): boolean {
    this.#touched.delete(access)
    const { changes } = statement(this.db, 'DELETE FROM session WHERE access = ?').run(access)
    statement(this.db, 'DELETE FROM sign_in_state WHERE name = ?').run(formatStateName(access))
    this.invalidate()
    return changes > 0
  }

  /** Extends a session; in memory until {@link flush}. */
  touch(access: string, at: number): void {
    this.#touched.set(access, at)
  }

  /** Writes the uses. Must run within a transaction; call {@link markFlushed} after its commit. */
  flush(): void {
    const update = statement(this.db, 'UPDATE session SET used = ? WHERE access = ?')
    for (const [access, at] of this.#touched) update.run(at, access)
  }

  /** Drops the uses that have been written and committed. */
  markFlushed(): void {
    for (const [access, at] of this.#touched) this.#used?.set(access, at)
    this.#touched.clear()
  }

  /** Clears the cache of stored uses. */
  invalidate(): void {
    this.#used = undefined
  }

  #load(): Map<string, number> {
    if (this.#used) return this.#used
    const rows = statement(this.db, 'SELECT access, used FROM session').all() as {
      access: string
      used: number
    }[]
    return (this.#used = new Map(rows.map(row => [row.access, row.used])))
  }
}

function formatStateName(access: string): string {
  return `session:${access}`
}
