/**
 * Adds up periods by day: a night counts on the day on which it ends, and overlapping periods are not added.
 * (docs/api/measure-methods.md#periods)
 */
import type { Steps } from '../../storage/steps.js'
import { Pauses } from './pauses.js'

/** A period of a source, in seconds, or several that follow each other without a gap. */
export interface Period {
  readonly from: number
  to: number
  /** Whether the person slept; `bed`: was in bed. Other periods than those of sleep are `full`. */
  readonly state: 'full' | 'bed' | 'awake'
  /** Number of events and points. */
  count: number
}

/** Periods of one source that belong together, such as the stages of a night. */
interface PeriodGroup {
  readonly from: number
  to: number
  /** Number of events and points. */
  count: number
  /** For each state, the times that its periods cover: `from` and `to` of each interval, ascending. */
  readonly covered: Readonly<Record<Period['state'], number[]>>
}

interface PeriodDay {
  /** In seconds. */
  value: number
  /** Number of events and points. */
  count: number
  /** The first source that they come from. */
  readonly streamId: string
  /** The longest of them, from its beginning to its end. */
  longest: { readonly from: number; readonly to: number }
}

/** Collects the periods of one source, which arrive in lists that are each in order of time. */
export class PeriodLists {
  readonly #lists: Period[][] = []

  /** Adds the next period of a list, or the first of another one. Returns the number of further values that it takes memory for. */
  add({ from, state, to }: Omit<Period, 'count'>): number {
    const list = this.#lists.at(-1)
    const last = list?.at(-1)
    if (!list || !last || from < last.from) this.#lists.push([{ from, to, state, count: 1 }])
    else if (last.state === state && from <= last.to) {
      last.to = Math.max(last.to, to)
      last.count++
      return 0
    } else list.push({ from, to, state, count: 1 })
    return 1
  }

  /**
   * Groups periods that overlap, or have less than `gap` seconds between them (0: that touch). Groups without sleep and
   * time in bed are omitted.
   */
  *group(gap: number): Steps<PeriodGroup[]> {
    const groups: PeriodGroup[] = []
    const pauses = new Pauses()
    for (const { count, from, state, to } of yield* mergeOrdered(this.#lists)) {
      if (pauses.isDue(1)) yield
      const last = groups.at(-1)
      const belongs = last && (from <= last.to || from - last.to < gap)
      const group = belongs ? last : { from, to, count: 0, covered: { full: [], bed: [], awake: [] } }
      if (!belongs) groups.push(group)
      group.to = Math.max(group.to, to)
      group.count += count
      addInterval(group.covered[state], from, to)
    }
    return groups.filter(({ covered }) => covered.full.length > 0 || covered.bed.length > 0)
  }
}

/** Adds an interval that does not begin before the others. */
function addInterval(intervals: number[], from: number, to: number): void {
  const end = intervals.at(-1)
  if (end === undefined || from > end) intervals.push(from, to)
  else if (to > end) intervals[intervals.length - 1] = to
}

/** Returns the seconds of a group: those asleep if they are known, without those awake in between; else those in bed. */
function measureGroup({ covered: { awake, bed, full } }: Pick<PeriodGroup, 'covered'>): number {
  return full.length > 0 ? sumIntervals(full) - sumIntersection(full, awake) : sumIntervals(bed)
}

function sumIntervals(intervals: readonly number[]): number {
  let sum = 0
  for (let at = 0; at < intervals.length; at += 2) sum += intervals[at + 1]! - intervals[at]!
  return sum
}

function sumIntersection(one: readonly number[], other: readonly number[]): number {
  let [sum, at, otherAt] = [0, 0, 0]
  while (at < one.length && otherAt < other.length) {
    const [end, otherEnd] = [one[at + 1]!, other[otherAt + 1]!]
    sum += Math.max(0, Math.min(end, otherEnd) - Math.max(one[at]!, other[otherAt]!))
    if (end < otherEnd) at += 2
    else otherAt += 2
  }
  return sum
}

interface RankedGroup {
  readonly from: number
  readonly to: number
  readonly rank: number
  readonly group: PeriodGroup
}

/**
 * Adds up the groups of sources, in order of preference, by the day on which they end. A group that overlaps one of a
 * preferred source is omitted. `findDay` returns the day of a period with this end; `undefined` if it is not requested.
 */
export function* addPeriods(
  sources: readonly { readonly streamId: string; readonly groups: readonly PeriodGroup[] }[],
  findDay: (time: number) => number | undefined
): Steps<Map<number, PeriodDay>> {
  const days = new Map<number, PeriodDay>()
  const add = ({ group, rank, to }: RankedGroup): void => {
    const day = findDay(to)
    if (day === undefined) return
    const { streamId } = sources[rank]!
    const [value, { count }] = [measureGroup(group), group]
    const known = days.get(day)
    if (!known) days.set(day, { value, count, streamId, longest: { from: group.from, to } })
    else {
      if (to - group.from > known.longest.to - known.longest.from) known.longest = { from: group.from, to }
      known.value += value
      known.count += count
    }
  }
  const ordered = yield* mergeOrdered(
    sources.map(({ groups }, rank) => groups.map(group => ({ from: group.from, to: group.to, rank, group })))
  )
  // Groups that overlap, directly or by others between them: only among those, one takes the place of another.
  let overlapping: RankedGroup[] = []
  let end = -Infinity
  const pauses = new Pauses()
  for (const group of ordered) {
    if (pauses.isDue(1)) yield
    if (group.from >= end) {
      for (const each of yield* pickPreferred(overlapping)) add(each)
      overlapping = []
    }
    overlapping.push(group)
    end = Math.max(end, group.to)
  }
  for (const each of yield* pickPreferred(overlapping)) add(each)
  return days
}

/**
 * Returns the groups that overlap none of a preferred source, nor an earlier one of the same, in order of
 * time.
 */
function* pickPreferred(groups: readonly RankedGroup[]): Steps<readonly RankedGroup[]> {
  if (groups.length < 2) return groups
  const byRank = new Map<number, RankedGroup[]>()
  for (const group of groups) {
    const own = byRank.get(group.rank)
    if (own) own.push(group)
    else byRank.set(group.rank, [group])
  }
  const taken: RankedGroup[] = []
  const pauses = new Pauses()
  for (const rank of [...byRank.keys()].toSorted((a, b) => a - b))
    for (const group of byRank.get(rank)!) {
      if (pauses.isDue(1)) yield
      const index = findFirstAfter(taken, group.from)
      // Taken groups do not overlap, so the first that ends later is also the first that may begin later.
      if (index === taken.length || taken[index]!.from >= group.to) taken.splice(index, 0, group)
    }
  return taken
}

/** Returns the index of the first group that ends after a time. */
function findFirstAfter(groups: readonly RankedGroup[], time: number): number {
  let [low, high] = [0, groups.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (groups[middle]!.to > time) high = middle
    else low = middle + 1
  }
  return low
}

/** Merges lists that are in order of their beginnings, two by two. */
function* mergeOrdered<T extends { readonly from: number }>(
  lists: readonly (readonly T[])[]
): Steps<readonly T[]> {
  let current = lists
  while (current.length > 1) {
    const merged: (readonly T[])[] = []
    for (let at = 0; at < current.length; at += 2)
      merged.push(yield* mergeTwo(current[at]!, current[at + 1] ?? []))
    current = merged
  }
  return current[0] ?? []
}

/** Merges two lists that are sorted by `from`, in steps. Of equal items, those of `one` come first. */
function* mergeTwo<T extends { readonly from: number }>(
  one: readonly T[],
  other: readonly T[]
): Steps<readonly T[]> {
  if (other.length === 0) return one
  const merged: T[] = []
  const pauses = new Pauses()
  let [at, otherAt] = [0, 0]
  while (at < one.length || otherAt < other.length) {
    const isOther = at === one.length || (otherAt < other.length && other[otherAt]!.from < one[at]!.from)
    merged.push(isOther ? other[otherAt++]! : one[at++]!)
    if (pauses.isDue(1)) yield
  }
  return merged
}
