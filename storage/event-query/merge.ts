/** Several lanes as one: their keys in order, each once. Good within one read. */
import type { EventFile } from './file.js'
import { heads, keys, type Lane } from './lanes.js'
import { isBefore, rest, type Key, type Order, type Stretch } from './position.js'

/** A lane and what is left to read of it. */
export interface LaneRest {
  readonly lane: Lane
  readonly stretches: readonly Stretch[]
}

/** Times that events come again, from other lanes, before a page ends: some may be in all of two thousand lanes. */
const mostRepeats = 20_000
/** How many of these count as much as a row that is looked at. */
const repeatsOfRow = 20

/** Number of lanes of one kind from which on it pays to ask where they begin first. */
const many = 8

/** Sorts before every number, whatever the order: the place of a lane of which only the time is known. */
const unread = Symbol('unread')

interface Entry {
  readonly lane: Lane
  /** What is still to be read, the current stretch first. */
  stretches: readonly Stretch[]
  rows: readonly Key[]
  at: number
  /** The next key, or while it is unread a time before which the lane holds nothing. */
  head: Key | { readonly time: number; readonly number: typeof unread }
  /** Rows to read next time. */
  size: number
}

export class Merge {
  readonly #heap: Entry[] = []
  #last: Key | undefined
  #repeats = 0

  /** `expected` is how many keys will be taken. */
  constructor(
    private readonly file: EventFile,
    private readonly order: Order,
    lanes: readonly LaneRest[],
    expected: number
  ) {
    this.#begin(
      lanes.filter(({ stretches }) => stretches.length > 0),
      Math.max(2, Math.ceil((2 * expected) / Math.max(lanes.length, 1)))
    )
  }

  /** Whether there is nothing more to {@link take}. */
  get isDone(): boolean {
    return this.#heap.length === 0
  }

  /** Whether a page has merged enough. */
  get isMuch(): boolean {
    return this.#repeats >= mostRepeats
  }

  /** What events in several lanes have cost, in rows that are looked at. */
  get examined(): number {
    return Math.floor(this.#repeats / repeatsOfRow)
  }

  /** The next keys: fewer than `limit` at the end, or where it {@link isMuch}, but one at least. */
  take(limit: number): Key[] {
    const taken: Key[] = []
    while (taken.length < limit && !(this.isMuch && taken.length > 0)) {
      const entry = this.#heap[0]
      if (!entry) break
      if (entry.head.number === unread) {
        this.#read(entry)
        continue
      }
      const key = entry.head
      // An event in several streams comes once from each, one right after the other.
      if (this.#last?.number !== key.number || this.#last.time !== key.time) taken.push(key)
      else this.#repeats++
      this.#last = key
      this.#advance(entry)
    }
    return taken
  }

  /** Takes up the lanes that hold something, as far as that is cheap to know, with a time before which they hold nothing. */
  #begin(lanes: readonly LaneRest[], size: number): void {
    const first = lanes[0]
    const kind = first?.lane.kind
    if (!first || lanes.length < many || (kind !== 'stream' && kind !== 'type')) {
      for (const whole of lanes) this.#add(whole, whole.stretches[0]!.start, size)
      return
    }
    const { db, ends } = this.file
    const stretch = { start: first.stretches[0]!.start, end: first.stretches.at(-1)!.end }
    for (const trashed of new Set(lanes.map(({ lane }) => lane.values[1]!))) {
      const group = lanes.filter(({ lane }) => lane.values[1] === trashed)
      const values = group.map(({ lane }) => lane.values[0]!)
      const times =
        kind === 'stream'
          ? ends.within(values, trashed, this.order, stretch)
          : heads(db, kind, values, trashed, this.order, stretch)
      times.forEach((time, index) => {
        if (time !== null) this.#add(group[index]!, time, size)
      })
    }
  }

  #add({ lane, stretches }: LaneRest, time: number, size: number): void {
    this.#push({ lane, stretches, rows: [], at: 0, head: { time, number: unread }, size })
  }

  /** Reads on in the lane at the top. */
  #read(entry: Entry): void {
    const stretch = entry.stretches[0]
    if (!stretch) return this.#pop()
    entry.rows = keys(this.file.db, entry.lane, this.order, stretch, entry.size)
    entry.at = 0
    entry.stretches = entry.rows.length < entry.size ? entry.stretches.slice(1) : this.#after(entry, stretch)
    entry.size = Math.min(entry.size * 2, 256)
    this.#settle(entry)
  }

  #after(entry: Entry, stretch: Stretch): Stretch[] {
    return [...rest(stretch, entry.rows.at(-1)!, this.order), ...entry.stretches.slice(1)]
  }

  #advance(entry: Entry): void {
    entry.at++
    this.#settle(entry)
  }

  /** Gives the lane at the top its next head, and its place. */
  #settle(entry: Entry): void {
    const key = entry.rows[entry.at]
    if (key) entry.head = key
    else if (entry.stretches[0]) entry.head = { time: entry.stretches[0].start, number: unread }
    else return this.#pop()
    this.#sink()
  }

  #push(entry: Entry): void {
    const heap = this.#heap
    let at = heap.push(entry) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#precedes(entry, heap[parent]!)) break
      heap[at] = heap[parent]!
      heap[(at = parent)] = entry
    }
  }

  #pop(): void {
    const last = this.#heap.pop()!
    if (this.#heap.length === 0) return
    this.#heap[0] = last
    this.#sink()
  }

  #sink(): void {
    const heap = this.#heap
    const entry = heap[0]!
    for (let at = 0; ;) {
      let child = 2 * at + 1
      if (child >= heap.length) return
      if (child + 1 < heap.length && this.#precedes(heap[child + 1]!, heap[child]!)) child++
      if (!this.#precedes(heap[child]!, entry)) return
      heap[at] = heap[child]!
      heap[(at = child)] = entry
    }
  }

  #precedes({ head: a }: Entry, { head: b }: Entry): boolean {
    if (a.time !== b.time)
      return isBefore({ time: a.time, number: 0 }, { time: b.time, number: 0 }, this.order)
    if (a.number === unread) return b.number !== unread
    return b.number !== unread && isBefore(a, b, this.order)
  }
}
