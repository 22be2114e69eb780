/**
 * Caches the first and last times of streams as queries ask for them: a query over hundreds of streams starts with
 * those that reach furthest, and reads nothing of the other streams. In a large file each lookup would cost a page.
 */
import type { Database } from 'better-sqlite3'
import { readFirstTimes } from './lanes.js'
import { comesBefore, type Order, type KeyRange } from './position.js'

/** Maximum number of cached streams per open file and order. A full cache is cleared. */
const maxCached = 10_000

/** The times of the first and last events of streams, cached. */
export class StreamEnds {
  /** The time of the first event in each order, by stream and trash state. */
  readonly #cached: Readonly<Record<Order, Map<number, number>>> = { ASC: new Map(), DESC: new Map() }

  constructor(private readonly db: Database) {}

  /**
   * Returns the time in seconds of the event that comes first in an order, for each stream: the earliest for `ASC`, the
   * latest for `DESC`. `Infinity` or `-Infinity`, which comes last, if there is none. After a transaction was rolled back,
   * no event comes before the returned time, but there may be none at it. `trashed`: 1 for events in the trash, else 0.
   */
  list(streams: readonly number[], trashed: number, order: Order): number[] {
    const cached = this.#cached[order]
    if (cached.size > maxCached) cached.clear()
    const uncached = streams.filter(stream => !cached.has(toCacheKey(stream, trashed)))
    if (uncached.length > 0) {
      const never = order === 'ASC' ? Infinity : -Infinity
      const all: KeyRange = { start: -never, end: never }
      readFirstTimes(this.db, 'stream', uncached, trashed, order, all).forEach((time, index) =>
        cached.set(toCacheKey(uncached[index]!, trashed), time ?? never)
      )
    }
    return streams.map(stream => cached.get(toCacheKey(stream, trashed))!)
  }

  /** Returns the time of each stream's first event within a range; `null` if there is none. */
  listWithin(streams: readonly number[], trashed: number, order: Order, range: KeyRange): (number | null)[] {
    const times = this.list(streams, trashed, order).map(time =>
      comesBefore(range.end, time, order) ? null : time
    )
    const isEarly = (time: number | null): boolean => time !== null && comesBefore(time, range.start, order)
    const early = streams.filter((_, index) => isEarly(times[index]!))
    if (early.length === 0) return times
    const later = readFirstTimes(this.db, 'stream', early, trashed, order, range).values()
    return times.map(time => (isEarly(time) ? later.next().value! : time))
  }

  /** Records that an event was added to a stream. */
  add(stream: number, trashed: number, time: number): void {
    const cacheKey = toCacheKey(stream, trashed)
    for (const order of orders) {
      const first = this.#cached[order].get(cacheKey)
      if (first !== undefined && comesBefore(time, first, order)) this.#cached[order].set(cacheKey, time)
    }
  }

  /** Records that an event was removed from a stream. */
  remove(stream: number, trashed: number, time: number): void {
    const cacheKey = toCacheKey(stream, trashed)
    for (const order of orders)
      if (this.#cached[order].get(cacheKey) === time) this.#cached[order].delete(cacheKey)
  }

  /** Clears the cache: it may hold what was rolled back. */
  invalidate(): void {
    for (const order of orders) this.#cached[order].clear()
  }
}

const orders = ['ASC', 'DESC'] as const

/** Trash states are 0, 1 and 2. */
function toCacheKey(stream: number, trashed: number): number {
  return stream * 4 + trashed
}
