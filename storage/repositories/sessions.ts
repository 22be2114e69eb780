/** Open sessions of personal accesses. Uses are gathered in memory and written now and then. */
import type { Database } from 'better-sqlite3'
import { statement } from '../sqlite/statements.js'

export class SessionRepository {
  #used: Map<string, number> | undefined
  #touched = new Map<string, number>()

  constructor(private readonly db: Database) {}

  get isDirty(): boolean {
    return this.#touched.size > 0
  }

  /** When the access's session was last used (seconds); `undefined` if there is none. */
  lastUse(access: string): number | undefined {
    return this.#touched.get(access) ?? this.#load().get(access)
  }

  /** Opens a session. */
  open(access: string, at: number): void {
    statement(this.db, 'INSERT OR REPLACE INTO session (access, used) VALUES (?, ?)').run(access, at)
    this.forget()
  }

  /** Ends a session; `false` if there was none. */
  end(access: string): boolean {
    this.#touched.delete(access)
    const { changes } = statement(this.db, 'DELETE FROM session WHERE access = ?').run(access)
    this.forget()
    return changes > 0
  }

  /** Prolongs a session, in memory until {@link flush}. */
  touch(access: string, at: number): void {
    this.#touched.set(access, at)
  }

  /** Writes the uses gathered so far. Within a transaction; {@link settle} follows its commit. */
  flush(): void {
    const update = statement(this.db, 'UPDATE session SET used = ? WHERE access = ?')
    for (const [access, at] of this.#touched) update.run(at, access)
  }

  /** Forgets the uses that have been written. */
  settle(): void {
    for (const [access, at] of this.#touched) this.#used?.set(access, at)
    this.#touched.clear()
  }

  forget(): void {
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
