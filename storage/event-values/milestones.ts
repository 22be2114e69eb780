/**
 * How far sums may reach that are made in one go: with too many rows, nobody else would get their turn. What has been
 * measured is remembered, since to measure costs a fourth of the sum itself. Some more rows may have come since, not many.
 */
import type { Database } from 'better-sqlite3'
import { timeAhead, type StateOfStream } from './lane-rows.js'

/** Rows that are summed up in one go, as they were when they were measured. */
const atOnce = 50_000
/** Links to streams that may have been made since. */
const mostSince = 50_000
/** Stretches that are remembered of all streams together. */
const remembered = 1000

/** From a time up to another: not too many rows. */
interface Stretch {
  readonly from: number
  readonly before: number
}

export class Milestones {
  readonly #lanes = new Map<string, Stretch[]>()
  #count = 0
  #links = 0

  /** An event has come into a stream. */
  add(): void {
    if (++this.#links > mostSince) this.forget()
  }

  /** Drops what is remembered. */
  forget(): void {
    if (this.#count > 0) this.#lanes.clear()
    this.#count = this.#links = 0
  }

  /** Up to which time rows may be summed up from a time on; that very time if too many are of it. */
  reach(db: Database, lane: StateOfStream, from: number): number {
    const key = `${lane.stream} ${lane.trashed}`
    const known = this.#lanes.get(key)?.find(stretch => stretch.from <= from && from < stretch.before)
    if (known) return known.before
    const before = timeAhead(db, lane, [from, Infinity], atOnce) ?? Infinity
    if (before > from) this.#remember(key, { from, before })
    return before
  }

  #remember(key: string, stretch: Stretch): void {
    if (this.#count >= remembered) this.forget()
    this.#count++
    const known = this.#lanes.get(key)
    if (known) known.push(stretch)
    else this.#lanes.set(key, [stretch])
  }
}
