/** Where the points of a copy differ from those of its original, as far as summaries of equal buckets tell. */
import type { Range } from '../../storage/series/page.js'
import type { BucketSummary } from './peer-points.js'

/** Number of points of a bucket, about, and of neighbouring buckets that are read together. */
const bucketPoints = 2000
const groupPoints = 20_000
/** Number of buckets. */
export const minBuckets = 16
const maxBuckets = 4000
/** Error of means whose values are added in another order, relative to the largest value: a mean may be near zero. */
const meanError = 1e-12

/** Returns into how many buckets a number of points is divided. */
export function countBuckets(points: number): number {
  return Math.min(Math.max(Math.ceil(points / bucketPoints), minBuckets), maxBuckets)
}

/** Buckets from one number to another, exclusive, and how many points they have at the other server. */
export interface Group {
  readonly from: number
  readonly to: number
  readonly count: number
}

/** Yields the buckets that differ, neighbours together. */
export function* groupDifferences(
  theirs: ReadonlyMap<number, BucketSummary>,
  ours: ReadonlyMap<number, BucketSummary>,
  buckets: number
): Iterable<Group> {
  let group: Group | undefined
  for (let at = 0; at <= buckets; at++) {
    const [their, our] = [theirs.get(at), ours.get(at)]
    const count = their?.count ?? 0
    if (isSameSummary(their, our)) {
      if (group) yield group
      group = undefined
    } else if (group && group.count + count <= groupPoints)
      group = { ...group, to: at + 1, count: group.count + count }
    else {
      if (group) yield group
      group = { from: at, to: at + 1, count }
    }
  }
  if (group) yield group
}

function isSameSummary(their: BucketSummary | undefined, our: BucketSummary | undefined): boolean {
  if (!their || !our) return their === our
  if (their.count !== our.count || their.figures.size !== our.figures.size) return false
  for (const [field, value] of their.figures) {
    const other = our.figures.get(field)
    if (other === undefined || Math.abs(other - value) > getTolerance(their, field)) return false
  }
  return true
}

function getTolerance({ figures }: BucketSummary, field: string): number {
  if (!field.endsWith('.mean')) return 0
  const column = field.slice(0, -'.mean'.length)
  const extremes = ['min', 'max'].map(name => Math.abs(figures.get(`${column}.${name}`) ?? 0))
  return Math.max(...extremes) * meanError
}

/** Returns the range of a group, a little wider: a point at the edge of a bucket may count as one of its neighbour. */
export function cutRange({ from, to }: Range, group: Group, buckets: number): Range {
  const place = (at: number): number => from + (at / buckets) * (to - from)
  return {
    from: Math.max(from, place(group.from - 0.01)),
    to: group.to >= buckets ? to : place(group.to + 0.01)
  }
}
