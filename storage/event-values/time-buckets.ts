/** The parts of a time range, all of the same length, and what has been found in each so far. */
import { nextDouble, type Key } from '../event-query/position.js'

/** A range of times in so many parts. */
export interface BucketRange {
  /** Seconds; the range ends with `to`, which is part of it, and later. */
  readonly from: number
  readonly to: number
  readonly buckets: number
}

/** A number, and the event that it is of. */
export interface FoundValue extends Key {
  readonly value: number
}

/** What some events of a part come to. */
export interface BucketSummary {
  /** The events, if none of them has a number. */
  readonly all: number
  /** Those that have one. */
  readonly count: number
  readonly min: number
  readonly max: number
  readonly sum: number
  /** There is one of each if `count` is not 0. */
  readonly first: FoundValue | undefined
  readonly last: FoundValue | undefined
}

/** Of the events in a part. */
interface Bucket {
  all: number
  count: number
  min: number
  max: number
  sum: number
  first: FoundValue | undefined
  last: FoundValue | undefined
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

export class TimeBuckets {
  readonly #length: number
  /** Only those that hold something: most ranges are not filled. */
  readonly #buckets = new Map<number, Bucket>()
  #hasNumbers = false

  constructor(private readonly bucketRange: BucketRange) {
    const { from, buckets, to } = bucketRange
    const length = (to - from) / buckets
    this.#length = Number.isFinite(length) ? length : to / buckets - from / buckets
  }

  /** When a part begins, seconds; of the one after the last, the time after all of them. */
  getStart(bucket: number): number {
    const { from, buckets, to } = this.bucketRange
    if (bucket >= buckets) return nextDouble(to, 'ASC')
    // A single part may be longer than any number.
    return bucket === 0 ? from : Math.min(from + bucket * this.#length, to)
  }

  /** The last part that has begun at a time within the range. */
  findBucket(time: number): number {
    const { from, buckets } = this.bucketRange
    const quotient = (time - from) / this.#length
    // Lengths can be 0 or infinite, where there is no quotient.
    let bucket = Number.isNaN(quotient) ? 0 : Math.min(Math.max(Math.floor(quotient), 0), buckets - 1)
    // Quotients are rounded.
    while (bucket > 0 && this.getStart(bucket) > time) bucket--
    while (bucket + 1 < buckets && this.getStart(bucket + 1) <= time) bucket++
    return bucket
  }

  /** Counts an event; `value` if it has a number. */
  countEvent(key: Key, value: number | undefined): void {
    const bucket = this.#getBucket(this.findBucket(key.time))
    bucket.all++
    if (value === undefined) return
    const found = { ...key, value }
    addToBucket(bucket, { all: 0, count: 1, min: value, max: value, sum: value, first: found, last: found })
    this.#hasNumbers = true
  }

  /** Counts events of one part. */
  addSummary(index: number, summary: BucketSummary): void {
    if (summary.all === 0) return
    const bucket = this.#getBucket(index)
    addToBucket(bucket, summary)
    if (summary.count > 0) this.#hasNumbers = true
  }

  /** What is shown of the parts that hold something, in order of time. */
  toSamples(): Sample[] {
    const order = [...this.#buckets.keys()].toSorted((a, b) => a - b)
    return order.flatMap(index => {
      const bucket = this.#buckets.get(index)!
      const time = this.getStart(index)
      if (!this.#hasNumbers) return { time, count: bucket.all }
      return bucket.count === 0 ? [] : toSample(time, bucket)
    })
  }

  #getBucket(index: number): Bucket {
    let bucket = this.#buckets.get(index)
    if (!bucket) this.#buckets.set(index, (bucket = createBucket()))
    return bucket
  }
}

function createBucket(): Bucket {
  return { all: 0, count: 0, min: Infinity, max: -Infinity, sum: 0, first: undefined, last: undefined }
}

function addToBucket(bucket: Bucket, { all, count, first, last, max, min, sum }: BucketSummary): void {
  bucket.all += all
  if (count === 0) return
  bucket.count += count
  bucket.min = Math.min(bucket.min, min)
  bucket.max = Math.max(bucket.max, max)
  bucket.sum += sum
  if (first && (!bucket.first || isEarlier(first, bucket.first))) bucket.first = first
  if (last && (!bucket.last || isEarlier(bucket.last, last))) bucket.last = last
}

function toSample(time: number, { count, first, last, max, min, sum }: Bucket): Sample {
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
