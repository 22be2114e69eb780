/**
 * Limits how many rows one statement sums, so that it does not block other calls. Measured ranges are cached: measuring
 * costs a fourth of the sum itself. A few rows may have been added to such a range since.
 */
import type { Database } from 'better-sqlite3'
import { findTimeAhead, type StreamState } from './lane-rows.js'

/** Maximum number of rows summed by one statement, at the time of measuring. */
const maxSummedRows = 50_000
/** Number of links added after which the cache is cleared. */
const maxNewLinks = 50_000
/** Maximum number of cached ranges of all streams. */
const maxCached = 1000

/** A time range with a limited number of rows. */
interface SummableRange {
  readonly from: number
  readonly before: number
}

/** Ranges of rows short enough to be summed by one statement, cached. */
export class SummableRanges {
  readonly #lanes = new Map<string, SummableRange[]>()
  #count = 0
  #links = 0

  /** Records that an event was added to a stream. */
  add(): void {
    if (++this.#links > maxNewLinks) this.invalidate()
  }

  /** Clears the cache. */
  invalidate(): void {
    if (this.#count > 0) this.#lanes.clear()
    this.#count = this.#links = 0
  }

  /**
   * Returns the time up to which rows may be summed from a time on; the start time itself if too many rows have that
   * time.
   */
  findEnd(db: Database, lane: StreamState, from: number): number {
    const key = `${lane.stream} ${lane.trashed}`
    const cached = this.#lanes.get(key)?.find(range => range.from <= from && from < range.before)
    if (cached) return cached.before
    const before = findTimeAhead(db, lane, [from, Infinity], maxSummedRows) ?? Infinity
    if (before > from) this.#cache(key, { from, before })
    return before
  }

  #cache(key: string, range: SummableRange): void {
    if (this.#count >= maxCached) this.invalidate()
    this.#count++
    const cached = this.#lanes.get(key)
    if (cached) cached.push(range)
    else this.#lanes.set(key, [range])
  }
}
