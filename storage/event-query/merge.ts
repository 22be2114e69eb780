/** Merges several lanes: their keys in order, each once. Valid within one read. */
import type { EventFile } from './event-file.js'
import { readFirstTimes, readKeys, type Lane } from './lanes.js'
import { isBefore, getRemainder, type Key, type Order, type KeyRange } from './position.js'

/** A lane and its ranges that remain to be read. */
export interface LaneRemainder {
  readonly lane: Lane
  readonly ranges: readonly KeyRange[]
}

/**
 * Maximum number of repeated events, from other lanes, before a page ends: an event may be in all of two thousand
 * lanes.
 */
const maxRepeats = 20_000
/** How many repeats count as one examined row. */
const repeatsPerRow = 20

/** Minimum number of lanes of one kind for which reading their first times beforehand pays off. */
const minLanesToProbe = 8

/** Marks an entry of which only the time is known; sorts before every number in either order. */
const unread = Symbol('unread')

interface Entry {
  readonly lane: Lane
  /** Remaining ranges, the current one first. */
  ranges: readonly KeyRange[]
  rows: readonly Key[]
  at: number
  /** The next key; while that is unread, a time before which the lane holds no event. */
  head: Key | { readonly time: number; readonly number: typeof unread }
  /** Number of rows to read next time. */
  batchSize: number
}

/** Takes the keys of several lanes in order, each event once. */
export class LaneMerge {
  readonly #heap: Entry[] = []
  #last: Key | undefined
  #repeats = 0

  /** `expected` is the expected number of keys to be taken. */
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

  /** True once all keys have been taken. */
  get isDone(): boolean {
    return this.#heap.length === 0
  }

  /** True once a page has reached its limit of repeats. */
  get isExhausted(): boolean {
    return this.#repeats >= maxRepeats
  }

  /** The cost of repeats, in examined rows. */
  get examined(): number {
    return Math.floor(this.#repeats / repeatsPerRow)
  }

  /** Takes the next keys: fewer than `limit` keys at the end, or if it {@link isExhausted}, but at least one. */
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
      // An event in several streams is read once from each, consecutively.
      if (this.#last?.number !== key.number || this.#last.time !== key.time) taken.push(key)
      else this.#repeats++
      this.#last = key
      this.#advance(entry)
    }
    return taken
  }

  /**
   * Adds the lanes that hold events, as far as that is cheap to determine, each with a time before which it holds no
   * event.
   */
  #start(lanes: readonly LaneRemainder[], batchSize: number): void {
    const first = lanes[0]
    const kind = first?.lane.kind
    if (!first || lanes.length < minLanesToProbe || (kind !== 'stream' && kind !== 'type')) {
      for (const remainder of lanes) this.#addUnread(remainder, remainder.ranges[0]!.start, batchSize)
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
        if (time !== null) this.#addUnread(group[index]!, time, batchSize)
      })
    }
  }

  /** Adds a lane whose rows have not been read, but that is known to hold no event before `time`. */
  #addUnread({ lane, ranges }: LaneRemainder, time: number, batchSize: number): void {
    this.#push({ lane, ranges, rows: [], at: 0, head: { time, number: unread }, batchSize })
  }

  /** Reads the next rows of the lane at the top. */
  #read(entry: Entry): void {
    const range = entry.ranges[0]
    if (!range) return this.#pop()
    entry.rows = readKeys(this.file.db, entry.lane, this.order, range, entry.batchSize)
    entry.at = 0
    entry.ranges =
      entry.rows.length < entry.batchSize ? entry.ranges.slice(1) : this.#rangesAfter(entry, range)
    entry.batchSize = Math.min(entry.batchSize * 2, 256)
    this.#settle(entry)
  }

  #rangesAfter(entry: Entry, range: KeyRange): KeyRange[] {
    return [...getRemainder(range, entry.rows.at(-1)!, this.order), ...entry.ranges.slice(1)]
  }

  #advance(entry: Entry): void {
    entry.at++
    this.#settle(entry)
  }

  /** Updates the head of the lane at the top, and its position in the heap. */
  #settle(entry: Entry): void {
    const key = entry.rows[entry.at]
    if (key) entry.head = key
    else if (entry.ranges[0]) entry.head = { time: entry.ranges[0].start, number: unread }
    else return this.#pop()
    this.#siftDown()
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
    this.#siftDown()
  }

  #siftDown(): void {
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
