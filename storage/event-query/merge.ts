/** Several lanes as one: their keys in order, each once. Good within one read. */
import type { EventFile } from './event-file.js'
import { readFirstTimes, readKeys, type Lane } from './lanes.js'
import { isBefore, getRemainder, type Key, type Order, type KeyRange } from './position.js'

/** A lane and what is left to read of it. */
export interface LaneRemainder {
  readonly lane: Lane
  readonly ranges: readonly KeyRange[]
}

/** Times that events come again, from other lanes, before a page ends: some may be in all of two thousand lanes. */
const maxRepeats = 20_000
/** How many of these count as much as a row that is looked at. */
const repeatsPerRow = 20

/** Number of lanes of one kind from which on it pays to ask where they begin first. */
const minLanesToProbe = 8

/** Sorts before every number, whatever the order: the place of a lane of which only the time is known. */
const unread = Symbol('unread')

interface Entry {
  readonly lane: Lane
  /** What is still to be read, the current stretch first. */
  ranges: readonly KeyRange[]
  rows: readonly Key[]
  at: number
  /** The next key, or while it is unread a time before which the lane holds nothing. */
  head: Key | { readonly time: number; readonly number: typeof unread }
  /** Rows to read next time. */
  size: number
}

export class LaneMerge {
  readonly #heap: Entry[] = []
  #last: Key | undefined
  #repeats = 0

  /** `expected` is how many keys will be taken. */
  constructor(
    private readonly file: EventFile,
    private readonly order: Order,
    lanes: readonly LaneRemainder[],
    expected: number
  ) {
    this.#start(
      lanes.filter(({ ranges }) => ranges.length > 0),
      Math.max(2, Math.ceil((2 * expected) / Math.max(lanes.length, 1)))
    )
  }

  /** Whether there is nothing more to {@link take}. */
  get isDone(): boolean {
    return this.#heap.length === 0
  }

  /** Whether a page has merged enough. */
  get isExhausted(): boolean {
    return this.#repeats >= maxRepeats
  }

  /** What events in several lanes have cost, in rows that are looked at. */
  get examined(): number {
    return Math.floor(this.#repeats / repeatsPerRow)
  }

  /** The next keys: fewer than `limit` at the end, or where it {@link isExhausted}, but one at least. */
  take(limit: number): Key[] {
    const taken: Key[] = []
    while (taken.length < limit && !(this.isExhausted && taken.length > 0)) {
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
  #start(lanes: readonly LaneRemainder[], size: number): void {
    const first = lanes[0]
    const kind = first?.lane.kind
    if (!first || lanes.length < minLanesToProbe || (kind !== 'stream' && kind !== 'type')) {
      for (const remainder of lanes) this.#add(remainder, remainder.ranges[0]!.start, size)
      return
    }
    const { db, ends } = this.file
    const range = { start: first.ranges[0]!.start, end: first.ranges.at(-1)!.end }
    for (const trashed of new Set(lanes.map(({ lane }) => lane.values[1]!))) {
      const group = lanes.filter(({ lane }) => lane.values[1] === trashed)
      const values = group.map(({ lane }) => lane.values[0]!)
      const times =
        kind === 'stream'
          ? ends.listWithin(values, trashed, this.order, range)
          : readFirstTimes(db, kind, values, trashed, this.order, range)
      times.forEach((time, index) => {
        if (time !== null) this.#add(group[index]!, time, size)
      })
    }
  }

  #add({ lane, ranges }: LaneRemainder, time: number, size: number): void {
    this.#push({ lane, ranges, rows: [], at: 0, head: { time, number: unread }, size })
  }

  /** Reads on in the lane at the top. */
  #read(entry: Entry): void {
    const range = entry.ranges[0]
    if (!range) return this.#pop()
    entry.rows = readKeys(this.file.db, entry.lane, this.order, range, entry.size)
    entry.at = 0
    entry.ranges = entry.rows.length < entry.size ? entry.ranges.slice(1) : this.#rangesAfter(entry, range)
    entry.size = Math.min(entry.size * 2, 256)
    this.#settle(entry)
  }

  #rangesAfter(entry: Entry, range: KeyRange): KeyRange[] {
    return [...getRemainder(range, entry.rows.at(-1)!, this.order), ...entry.ranges.slice(1)]
  }

  #advance(entry: Entry): void {
    entry.at++
    this.#settle(entry)
  }

  /** Gives the lane at the top its next head, and its place. */
  #settle(entry: Entry): void {
    const key = entry.rows[entry.at]
    if (key) entry.head = key
    else if (entry.ranges[0]) entry.head = { time: entry.ranges[0].start, number: unread }
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
