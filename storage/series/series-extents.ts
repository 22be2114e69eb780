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

/** Reads summaries where there are any: the rows of chunks are spread over the whole file. */
const extentSql = `SELECT sum(coalesce(s.count, (SELECT count FROM series_chunk WHERE number = c.number))), min(c.first),
    (SELECT until FROM series WHERE event = ?)
  FROM series_chunk c INDEXED BY series_chunk_first LEFT JOIN series_summary s ON s.chunk = c.number
  WHERE c.event = ?`

export class SeriesExtents {
  readonly #cached = new Map<number, SeriesExtent | undefined>()

  /** Returns the extent of the series of a holder (its number); `undefined` if it has no points. */
  get(db: Database, event: number): SeriesExtent | undefined {
    if (this.#cached.has(event)) return this.#cached.get(event)
    const [points, first, until] = raw(db, extentSql).get(event, event) as [number | null, number, number]
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
