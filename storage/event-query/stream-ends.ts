/**
 * Where streams begin and end in time, kept in memory as far as queries have asked: one over hundreds of streams begins
 * with those that reach furthest, and reads nothing of the others. In a large file each look would cost a page.
 */
import type { Database } from 'better-sqlite3'
import { readFirstTimes } from './lanes.js'
import { comesBefore, type Order, type KeyRange } from './position.js'

/** Streams remembered for each open file and order; more are looked up again. */
const maxCached = 10_000

export class StreamEnds {
  /** By stream and state, the time of the first event in each order. */
  readonly #cached: Readonly<Record<Order, Map<number, number>>> = { ASC: new Map(), DESC: new Map() }

  constructor(private readonly db: Database) {}

  /**
   * Of each stream the time of its first event in an order, at the earliest; beyond all times if it has none. Never too
   * late: it is exact unless a transaction was undone.
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

  /** Of each stream the time of its first event within a stretch; `null` where there is none. */
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

  /** An event has come into a stream. */
  add(stream: number, trashed: number, time: number): void {
    const cacheKey = toCacheKey(stream, trashed)
    for (const order of orders) {
      const first = this.#cached[order].get(cacheKey)
      if (first !== undefined && comesBefore(time, first, order)) this.#cached[order].set(cacheKey, time)
    }
  }

  /** An event has left a stream. */
  remove(stream: number, trashed: number, time: number): void {
    const cacheKey = toCacheKey(stream, trashed)
    for (const order of orders)
      if (this.#cached[order].get(cacheKey) === time) this.#cached[order].delete(cacheKey)
  }

  /** Drops what is remembered: it may have been rolled back. */
  invalidate(): void {
    for (const order of orders) this.#cached[order].clear()
  }
}

const orders = ['ASC', 'DESC'] as const

/** States are 0, 1 and 2. */
function toCacheKey(stream: number, trashed: number): number {
  return stream * 4 + trashed
}
