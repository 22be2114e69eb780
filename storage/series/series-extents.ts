/** Caches how many points each series has, and the times of the first and the last. */
import type { Database } from 'better-sqlite3'
import { raw } from '../sqlite/statements.js'

export interface SeriesExtent {
  readonly points: number
  /** DeltaTimes, in seconds. */
  readonly first: number
  readonly until: number
}

/** Maximum number of cached series of a file. */
const maxCached = 20_000

export class SeriesExtents {
  readonly #cached = new Map<number, SeriesExtent | undefined>()

  /** Returns the extent of the series of a holder (its number); `undefined` if it has no points. */
  get(db: Database, event: number): SeriesExtent | undefined {
    if (this.#cached.has(event)) return this.#cached.get(event)
    const sql = 'SELECT sum(count), min(first), max(last) FROM series_chunk WHERE event = ?'
    const [points, first, until] = raw(db, sql).get(event) as [number | null, number, number]
    const extent = points === null ? undefined : { points, first, until }
    if (this.#cached.size >= maxCached) this.#cached.clear()
    this.#cached.set(event, extent)
    return extent
  }

  /** Records that points of a series were written or removed. */
  discard(event: number): void {
    this.#cached.delete(event)
  }

  /** Clears the cache: it may hold what was rolled back. */
  invalidate(): void {
    this.#cached.clear()
  }
}
