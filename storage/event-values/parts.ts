/** The parts of a time range, all of the same length, and what has been found in each so far. */
import { nextDouble, type Key } from '../event-query/position.js'

/** A range of times in so many parts. */
export interface Division {
  /** Seconds; the range ends with `to`, which is part of it, and later. */
  readonly from: number
  readonly to: number
  readonly parts: number
}

/** A number, and the event that it is of. */
export interface Found extends Key {
  readonly value: number
}

/** What some events of a part come to. */
export interface Summary {
  /** The events, if none of them has a number. */
  readonly all: number
  /** Those that have one. */
  readonly count: number
  readonly min: number
  readonly max: number
  readonly sum: number
  /** There is one of each if `count` is not 0. */
  readonly first: Found | undefined
  readonly last: Found | undefined
}

/** Of the events in a part. */
interface Part {
  all: number
  count: number
  min: number
  max: number
  sum: number
  first: Found | undefined
  last: Found | undefined
}

/** What is shown of a part: of its events where none in any part has a number, else of those that have one. */
export interface Sample {
  /** When the part begins, seconds. */
  readonly time: number
  readonly count: number
  readonly min?: number
  readonly max?: number
  /** Absent where the sum of the numbers is beyond all numbers. */
  readonly mean?: number
  readonly first?: number
  readonly last?: number
}

export class Parts {
  readonly #length: number
  /** Only those that hold something: most ranges are not filled. */
  readonly #parts = new Map<number, Part>()
  #hasNumbers = false

  constructor(private readonly division: Division) {
    const { from, parts, to } = division
    const length = (to - from) / parts
    this.#length = Number.isFinite(length) ? length : to / parts - from / parts
  }

  /** When a part begins, seconds; of the one after the last, the time after all of them. */
  start(part: number): number {
    const { from, parts, to } = this.division
    if (part >= parts) return nextDouble(to, 'ASC')
    // A single part may be longer than any number.
    return part === 0 ? from : Math.min(from + part * this.#length, to)
  }

  /** The last part that has begun at a time within the range. */
  at(time: number): number {
    const { from, parts } = this.division
    const quotient = (time - from) / this.#length
    // Lengths can be 0 or infinite, where there is no quotient.
    let part = Number.isNaN(quotient) ? 0 : Math.min(Math.max(Math.floor(quotient), 0), parts - 1)
    // Quotients are rounded.
    while (part > 0 && this.start(part) > time) part--
    while (part + 1 < parts && this.start(part + 1) <= time) part++
    return part
  }

  /** Counts an event; `value` if it has a number. */
  count(key: Key, value: number | undefined): void {
    const part = this.#part(this.at(key.time))
    part.all++
    if (value === undefined) return
    const found = { ...key, value }
    add(part, { all: 0, count: 1, min: value, max: value, sum: value, first: found, last: found })
    this.#hasNumbers = true
  }

  /** Counts events of one part. */
  add(at: number, summary: Summary): void {
    if (summary.all === 0) return
    const part = this.#part(at)
    add(part, summary)
    if (summary.count > 0) this.#hasNumbers = true
  }

  /** What is shown of the parts that hold something, in order of time. */
  samples(): Sample[] {
    const order = [...this.#parts.keys()].toSorted((a, b) => a - b)
    return order.flatMap(at => {
      const part = this.#parts.get(at)!
      const time = this.start(at)
      if (!this.#hasNumbers) return { time, count: part.all }
      return part.count === 0 ? [] : shown(time, part)
    })
  }

  #part(at: number): Part {
    let part = this.#parts.get(at)
    if (!part) this.#parts.set(at, (part = empty()))
    return part
  }
}

function empty(): Part {
  return { all: 0, count: 0, min: Infinity, max: -Infinity, sum: 0, first: undefined, last: undefined }
}

function add(part: Part, { all, count, first, last, max, min, sum }: Summary): void {
  part.all += all
  if (count === 0) return
  part.count += count
  part.min = Math.min(part.min, min)
  part.max = Math.max(part.max, max)
  part.sum += sum
  if (first && (!part.first || isEarlier(first, part.first))) part.first = first
  if (last && (!part.last || isEarlier(part.last, last))) part.last = last
}

function shown(time: number, { count, first, last, max, min, sum }: Part): Sample {
  const mean = sum / count
  return {
    time,
    count,
    min,
    max,
    ...(Number.isFinite(mean) && { mean }),
    ...(first && last && { first: first.value, last: last.value })
  }
}

function isEarlier(a: Key, b: Key): boolean {
  return a.time === b.time ? a.number < b.number : a.time < b.time
}
