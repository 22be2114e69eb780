/** Time buckets of equal length, and the values aggregated in each. */
import { nextDouble, type Key } from '../event-query/position.js'

/** A time range divided into buckets. */
export interface BucketRange {
  /** Seconds. Includes `to`; anything later is outside. */
  readonly from: number
  readonly to: number
  readonly buckets: number
}

/** A number and the event that it comes from. */
export interface FoundValue extends Key {
  readonly value: number
}

/** Aggregated events of a bucket. */
export interface BucketSummary {
  /** Number of all events in the bucket, also of events without a number. */
  readonly all: number
  /** Number of events that have a number. */
  readonly count: number
  readonly min: number
  readonly max: number
  readonly sum: number
  /** Both are set if `count` is not 0, unless they are not needed. */
  readonly first: FoundValue | undefined
  readonly last: FoundValue | undefined
}

/** The aggregate of a bucket. */
interface Bucket {
  all: number
  count: number
  min: number
  max: number
  sum: number
  first: FoundValue | undefined
  last: FoundValue | undefined
}

/**
 * The result for a bucket: it covers the events that have a number, or all events if no event in any bucket has a
 * number.
 */
export interface Sample {
  /** Start of the bucket, in seconds. */
  readonly time: number
  readonly count: number
  readonly min?: number
  readonly max?: number
  /** Absent if the sum of the numbers overflows. */
  readonly mean?: number
  readonly first?: number
  readonly last?: number
}

/** Aggregates numbers by bucket. Buckets are counted from 0. */
export class TimeBuckets {
  readonly #length: number
  /** Only buckets that hold events: most ranges are sparse. */
  readonly #buckets = new Map<number, Bucket>()
  #hasNumbers = false

  constructor(private readonly bucketRange: BucketRange) {
    const { from, buckets, to } = bucketRange
    const length = (to - from) / buckets
    this.#length = Number.isFinite(length) ? length : to / buckets - from / buckets
  }

  /**
   * Returns the start of a bucket in seconds; for the index after the last bucket, the first time after that bucket.
   */
  getStart(bucket: number): number {
    const { from, buckets, to } = this.bucketRange
    if (bucket >= buckets) return nextDouble(to, 'ASC')
    // A single bucket may be longer than a double can represent.
    return bucket === 0 ? from : Math.min(from + bucket * this.#length, to)
  }

  /** Returns the last bucket that begins at or before a time within the range. */
  findBucket(time: number): number {
    const { from, buckets } = this.bucketRange
    const quotient = (time - from) / this.#length
    // The length can be 0 or infinite, for which there is no quotient.
    let bucket = Number.isNaN(quotient) ? 0 : Math.min(Math.max(Math.floor(quotient), 0), buckets - 1)
    // The quotient is rounded.
    while (bucket > 0 && this.getStart(bucket) > time) bucket--
    while (bucket + 1 < buckets && this.getStart(bucket + 1) <= time) bucket++
    return bucket
  }

  /** Counts an event. `value`: its number, if it has one. */
  countEvent(key: Key, value: number | undefined): void {
    const bucket = this.#getBucket(this.findBucket(key.time))
    bucket.all++
    if (value === undefined) return
    const found = { ...key, value }
    addToBucket(bucket, { all: 0, count: 1, min: value, max: value, sum: value, first: found, last: found })
    this.#hasNumbers = true
  }

  /** Adds aggregated events of one bucket. */
  addSummary(index: number, summary: BucketSummary): void {
    if (summary.all === 0) return
    const bucket = this.#getBucket(index)
    addToBucket(bucket, summary)
    if (summary.count > 0) this.#hasNumbers = true
  }

  /** Returns the samples of the buckets that hold events, in order of time. */
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
