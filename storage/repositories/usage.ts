/** Who called what how often, and when last: counted in memory, written now and then, never by a commit of a read's own. */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../statements.js'

interface Use {
  lastUsed: number
  readonly calls: Map<string, number>
}

export class UsageRepository {
  #uses = new Map<string, Use>()

  constructor(private readonly db: Database) {}

  get isDirty(): boolean {
    return this.#uses.size > 0
  }

  /** Counts one call. */
  record(access: string, method: string, at: number): void {
    let use = this.#uses.get(access)
    if (!use) this.#uses.set(access, (use = { lastUsed: at, calls: new Map() }))
    use.lastUsed = at
    use.calls.set(method, (use.calls.get(method) ?? 0) + 1)
  }

  /** When the access was last used (seconds). */
  lastUsed(access: string): number | undefined {
    const stored = column(this.db, 'SELECT lastUsed FROM access_use WHERE access = ?').get(access) as
      number | undefined
    return this.#uses.get(access)?.lastUsed ?? stored
  }

  /** Number of calls by method id, in a null-prototype object. */
  calls(access: string): Record<string, number> {
    const counts = Object.create(null) as Record<string, number>
    const sql = 'SELECT method, count FROM access_calls WHERE access = ?'
    const rows = statement(this.db, sql).all(access) as { method: string; count: number }[]
    for (const { method, count } of rows) counts[method] = count
    for (const [method, count] of this.#uses.get(access)?.calls ?? [])
      counts[method] = (counts[method] ?? 0) + count
    return counts
  }

  /** Writes the counts gathered so far. Within a transaction; {@link settle} follows its commit. */
  flush(): void {
    const used = statement(this.db, 'INSERT OR REPLACE INTO access_use (access, lastUsed) VALUES (?, ?)')
    const called = statement(
      this.db,
      `INSERT INTO access_calls (access, method, count) VALUES (?, ?, ?)
       ON CONFLICT (access, method) DO UPDATE SET count = count + excluded.count`
    )
    for (const [access, use] of this.#uses) {
      used.run(access, use.lastUsed)
      for (const [method, count] of use.calls) called.run(access, method, count)
    }
  }

  /** Forgets the counts that have been written. */
  settle(): void {
    this.#uses = new Map()
  }
}
