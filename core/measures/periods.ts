/**
 * Adds up periods by day: a night counts on the day on which it ends, and overlapping periods are not added.
 * (docs/api/measure-methods.md#periods)
 */
import type { Steps } from '../../storage/steps.js'
import { groupInSteps, Pauses } from './pauses.js'

/** A period of a source, in seconds, or several that overlap. */
export interface Period {
  readonly from: number
  to: number
  /** Whether the person slept; `bed`: was in bed. Other periods than those of sleep are `full`. */
  readonly state: 'full' | 'bed' | 'awake'
  /** Number of events and points. */
  count: number
}

/** Periods of one source that belong together, such as the stages of a night. */
export interface PeriodGroup {
  readonly from: number
  readonly to: number
  /** Number of events and points. */
  readonly count: number
  /** In seconds. */
  readonly value: number
  /** Place of the source in the order of preference, once it is known. */
  rank: number
}

/** A group to which periods are added. */
interface OpenGroup {
  readonly from: number
  to: number
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

/** Values of about 150 bytes for which a period takes memory, with the group that it may become. */
const valuesPerPeriod = 1.5
/** Values for which a list of periods takes memory besides them. */
const valuesPerList = 1.5

/** Collects the periods of one source, which arrive in lists that are each in order of time. */
export class PeriodLists {
  readonly #lists: Period[][] = []

  /** `gap`: see {@link group}. */
  constructor(private readonly gap: number) {}

  /** Adds the next period of a list, or the first of another one. Returns the number of further values that it takes memory for. */
  add({ from, state, to }: Omit<Period, 'count'>): number {
    const list = this.#lists.at(-1)
    const last = list?.at(-1)
    if (!list || !last || from < last.from) {
      this.#lists.push([{ from, to, state, count: 1 }])
      return valuesPerList + valuesPerPeriod
    }
    if (last.state === state && (from < last.to || (from === last.to && this.gap > 0))) {
      last.to = Math.max(last.to, to)
      last.count++
      return 0
    }
    list.push({ from, to, state, count: 1 })
    return valuesPerPeriod
  }

  /**
   * Groups periods that overlap, or have less than `gap` seconds between them: with 0, those that only follow each other are apart, as
   * each counts on the day on which it ends. Groups without sleep and time in bed are omitted.
   */
  *group(pauses: Pauses): Steps<PeriodGroup[]> {
    const groups: PeriodGroup[] = []
    let open: OpenGroup | undefined
    const close = (): void => {
      const value = open && measureGroup(open)
      if (value !== undefined)
        groups.push({ from: open!.from, to: open!.to, count: open!.count, value, rank: 0 })
    }
    for (const { count, from, state, to } of yield* mergeOrdered(this.#lists, pauses)) {
      if (pauses.isDue(1)) yield
      if (!open || from - open.to >= this.gap) {
        close()
        open = { from, to, count: 0, covered: { full: [], bed: [], awake: [] } }
      }
      open.to = Math.max(open.to, to)
      open.count += count
      addInterval(open.covered[state], from, to)
    }
    close()
    return groups
  }
}

/** Adds an interval that does not begin before the others. */
function addInterval(intervals: number[], from: number, to: number): void {
  const end = intervals.at(-1)
  if (end === undefined || from > end) intervals.push(from, to)
  else if (to > end) intervals[intervals.length - 1] = to
}

/**
 * Returns the seconds of a group: those asleep if they are known, without those awake in between; else those in bed. Returns
 * `undefined` if there are neither.
 */
function measureGroup({ covered: { awake, bed, full } }: Pick<OpenGroup, 'covered'>): number | undefined {
  if (full.length > 0) return sumIntervals(full) - sumIntersection(full, awake)
  return bed.length > 0 ? sumIntervals(bed) : undefined
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

/**
 * Adds up the groups of sources, in order of preference, by the day on which they end. A group that overlaps one of a
 * preferred source is omitted. `findDay` returns the day of a period with this end; `undefined` if it is not requested.
 */
export function* addPeriods(
  sources: readonly { readonly streamId: string; readonly groups: readonly PeriodGroup[] }[],
  findDay: (time: number) => number | undefined
): Steps<Map<number, PeriodDay>> {
  const days = new Map<number, PeriodDay>()
  const add = ({ count, from, rank, to, value }: PeriodGroup): void => {
    const day = findDay(to)
    if (day === undefined) return
    const { streamId } = sources[rank]!
    const known = days.get(day)
    if (!known) days.set(day, { value, count, streamId, longest: { from, to } })
    else {
      if (to - from > known.longest.to - known.longest.from) known.longest = { from, to }
      known.value += value
      known.count += count
    }
  }
  const pauses = new Pauses()
  for (const [rank, { groups }] of sources.entries())
    for (const group of groups) {
      group.rank = rank
      if (pauses.isDue(1)) yield
    }
  const addPreferred = function* (groups: readonly PeriodGroup[]): Steps<void> {
    for (const group of yield* pickPreferred(groups, pauses)) {
      add(group)
      if (pauses.isDue(1)) yield
    }
  }
  const ordered = yield* mergeOrdered(
    sources.map(({ groups }) => groups),
    pauses
  )
  // Groups that overlap, directly or by others between them: only among those, one takes the place of another.
  let overlapping: PeriodGroup[] = []
  let end = -Infinity
  for (const group of ordered) {
    if (pauses.isDue(1)) yield
    if (group.from >= end) {
      yield* addPreferred(overlapping)
      overlapping = []
    }
    overlapping.push(group)
    end = Math.max(end, group.to)
  }
  yield* addPreferred(overlapping)
  return days
}

/** Returns the groups that overlap none of a preferred source, in order of time. Those of one source do not overlap each other. */
function* pickPreferred(groups: readonly PeriodGroup[], pauses: Pauses): Steps<readonly PeriodGroup[]> {
  if (groups.length < 2) return groups
  const byRank = yield* groupInSteps(groups, ({ rank }) => rank)
  // Each list is more than twice as long as the next one: there are few, and a group is merged a few times.
  const taken: (readonly PeriodGroup[])[] = []
  for (const [, own] of [...byRank].toSorted(([a], [b]) => a - b)) {
    let added: readonly PeriodGroup[] = yield* omitOverlapping(own, taken, pauses)
    if (added.length === 0) continue
    while (taken.length > 0 && taken.at(-1)!.length <= 2 * added.length)
      added = yield* mergeTwo(taken.pop()!, added, pauses)
    taken.push(added)
  }
  return yield* mergeOrdered(taken, pauses)
}

/** Returns the groups that overlap none of the lists, of groups that do not overlap each other. */
function* omitOverlapping(
  groups: readonly PeriodGroup[],
  lists: readonly (readonly PeriodGroup[])[],
  pauses: Pauses
): Steps<PeriodGroup[]> {
  const kept: PeriodGroup[] = []
  for (const group of groups) {
    if (pauses.isDue(1)) yield
    // The first that ends later is also the first that may begin later.
    if (lists.every(list => (list[findFirstAfter(list, group.from)]?.from ?? Infinity) >= group.to))
      kept.push(group)
  }
  return kept
}

/** Returns the index of the first group that ends after a time. */
function findFirstAfter(groups: readonly PeriodGroup[], time: number): number {
  let [low, high] = [0, groups.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (groups[middle]!.to > time) high = middle
    else low = middle + 1
  }
  return low
}

/** Merges lists that are in order of their beginnings, two by two. There may be thousands of short ones. */
function* mergeOrdered<T extends { readonly from: number }>(
  lists: readonly (readonly T[])[],
  pauses: Pauses
): Steps<readonly T[]> {
  let current = lists
  while (current.length > 1) {
    const merged: (readonly T[])[] = []
    for (let at = 0; at < current.length; at += 2)
      merged.push(yield* mergeTwo(current[at]!, current[at + 1] ?? [], pauses))
    current = merged
  }
  return current[0] ?? []
}

/** Merges two lists that are sorted by `from`, in steps. Of equal items, those of `one` come first. */
function* mergeTwo<T extends { readonly from: number }>(
  one: readonly T[],
  other: readonly T[],
  pauses: Pauses
): Steps<readonly T[]> {
  if (other.length === 0) return one
  const merged: T[] = []
  let [at, otherAt] = [0, 0]
  while (at < one.length || otherAt < other.length) {
    const isOther = at === one.length || (otherAt < other.length && other[otherAt]!.from < one[at]!.from)
    merged.push(isOther ? other[otherAt++]! : one[at++]!)
    if (pauses.isDue(1)) yield
  }
  return merged
}
