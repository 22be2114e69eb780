/** Calls per access and method, and last uses. Counted in memory and written periodically, so that reads need no commit. */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'

interface Use {
  lastUsed: number
  readonly calls: Map<string, number>
}

export class UsageRepository {
  #uses = new Map<string, Use>()
  readonly #stored = new Map<string, Readonly<Record<string, number>>>()

  constructor(private readonly db: Database) {}

  /** Whether counts wait to be written. */
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

  /** Returns when an access was last used, in seconds; `undefined` if never. */
  getLastUsed(access: string): number | undefined {
    const { lastUsed } = this.#uses.get(access) ?? {}
    if (lastUsed !== undefined) return lastUsed
    return column(this.db, 'SELECT lastUsed FROM access_use WHERE access = ?').get(access) as
      | number
      | undefined
  }

  /** Returns when any access was last used, in seconds. */
  getLatest(): number | undefined {
    const stored = column(this.db, 'SELECT max(lastUsed) FROM access_use').get() as number | null
    let latest = stored ?? -Infinity
    for (const { lastUsed } of this.#uses.values()) latest = Math.max(latest, lastUsed)
    return latest === -Infinity ? undefined : latest
  }

  /** Returns the number of calls of an access, by method id, including those not written yet. */
  countCalls(access: string): Record<string, number> {
    const counts = { ...this.#storedCalls(access) }
    for (const [method, count] of this.#uses.get(access)?.calls ?? [])
      counts[method] = (counts[method] ?? 0) + count
    return counts
  }

  /** Writes the counts. Must run within a transaction; call {@link markFlushed} after its commit. */
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

  /** Drops the counts that have been written and committed. */
  markFlushed(): void {
    this.#uses = new Map()
    this.#stored.clear()
  }

  /** The stored counts; cached until the next flush. */
  #storedCalls(access: string): Readonly<Record<string, number>> {
    const known = this.#stored.get(access)
    if (known) return known
    const counts: Record<string, number> = {}
    const sql = 'SELECT method, count FROM access_calls WHERE access = ?'
    const rows = statement(this.db, sql).all(access) as { method: string; count: number }[]
    for (const { method, count } of rows) counts[method] = count
    this.#stored.set(access, counts)
    return counts
  }
}
