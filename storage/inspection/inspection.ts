/** Reads files without changing them, to check a data directory, whether or not a service runs on it. */
import type { Database } from 'better-sqlite3'
import { StoreDamaged } from '../errors.js'
import { openReadOnly } from '../sqlite/open.js'
import { column, statement } from '../sqlite/statements.js'

/** A file opened for inspection. The constructor throws `StoreDamaged`, `StoreTooNew`. */
export class Inspection {
  protected readonly db: Database
  #isIntact = true

  constructor(
    file: string,
    private readonly steps: number
  ) {
    this.db = openReadOnly(file, steps)
  }

  /** Runs SQLite's own checks. Returns the problems found; an empty list means that the file is intact. */
  findProblems(): string[] {
    const version = this.db.pragma('user_version', { simple: true }) as number
    const outdated =
      version < this.steps ? ['is of an earlier version: start the service once to bring it up to date'] : []
    const found = column(this.db, 'PRAGMA integrity_check').all() as string[]
    const broken = found.filter(text => text !== 'ok')
    this.#isIntact = broken.length === 0
    // Scans of a damaged tree may not end; reading by keys does.
    const dangling = this.#isIntact ? statement(this.db, 'PRAGMA foreign_key_check').all().length : 0
    return [
      ...outdated,
      ...broken,
      ...(dangling === 0 ? [] : [`${dangling} rows refer to rows that do not exist`])
    ]
  }

  /** False if {@link findProblems} has found the file damaged. */
  get isIntact(): boolean {
    return this.#isIntact
  }

  close(): void {
    this.db.close()
  }

  /** Reads rows one by one by key, so that the caller may wait in between. Throws `StoreDamaged` if they are out of order. */
  protected *readRows<T>(sql: string, before: number | string): Generator<T, void, undefined> {
    let key = before
    for (;;) {
      const row = statement(this.db, sql).get(key) as (T & { key: number | string }) | undefined
      if (!row) return
      // In a damaged tree, or where integers exceed the precision of numbers, the same rows might be returned for ever.
      if (!isAfter(row.key, key)) throw new StoreDamaged(this.db.name, 'rows are out of order')
      key = row.key
      yield row
    }
  }
}

/** Returns whether a key comes after another one in SQLite's order. */
function isAfter(key: unknown, before: number | string): boolean {
  if (typeof key === 'number' && typeof before === 'number') return key > before
  // Compares the bytes of UTF-8, as SQLite does.
  return (
    typeof key === 'string' &&
    typeof before === 'string' &&
    Buffer.compare(Buffer.from(key), Buffer.from(before)) > 0
  )
}
