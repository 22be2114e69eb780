/**
 * How far sums may reach that are made in one go: with too many rows, nobody else would get their turn. What has been
 * measured is remembered, since to measure costs a fourth of the sum itself. Some more rows may have come since, not many.
 */
import type { Database } from 'better-sqlite3'
import { findTimeAhead, type StreamState } from './lane-rows.js'

/** Rows that are summed up in one go, as they were when they were measured. */
const maxSummedRows = 50_000
/** Links to streams that may have been made since. */
const maxNewLinks = 50_000
/** Stretches that are remembered of all streams together. */
const maxCached = 1000

/** From a time up to another: not too many rows. */
interface SummableRange {
  readonly from: number
  readonly before: number
}

export class SummableRanges {
  readonly #lanes = new Map<string, SummableRange[]>()
  #count = 0
  #links = 0

  /** An event has come into a stream. */
  add(): void {
    if (++this.#links > maxNewLinks) this.invalidate()
  }

  /** Drops what is remembered. */
  invalidate(): void {
    if (this.#count > 0) this.#lanes.clear()
    this.#count = this.#links = 0
  }

  /** Up to which time rows may be summed up from a time on; that very time if too many are of it. */
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
