/** Adds up periods by day: a night counts on the day on which it ends, and what overlaps is not added. (docs/api/measure-methods.md#periods) */

/** A period of a source, in seconds. */
export interface Period {
  readonly from: number
  readonly to: number
  /** Whether the person slept; `bed`: was in bed. Other periods than those of sleep are `full`. */
  readonly state: 'full' | 'bed' | 'awake'
}

/** Periods that belong together, such as the stages of a night. */
export interface PeriodGroup {
  readonly from: number
  to: number
  readonly periods: Period[]
}

export interface PeriodDay {
  /** In seconds. */
  value: number
  /** Number of periods. */
  count: number
  /** The first source that they come from. */
  readonly streamId: string
}

/** Groups periods that overlap or follow each other within `gap` seconds. */
export function groupPeriods(periods: readonly Period[], gap: number): PeriodGroup[] {
  const groups: PeriodGroup[] = []
  for (const period of periods.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    const group = groups.at(-1)
    if (group && period.from <= group.to + gap) {
      group.periods.push(period)
      group.to = Math.max(group.to, period.to)
    } else groups.push({ from: period.from, to: period.to, periods: [period] })
  }
  return groups
}

/** Returns the seconds covered by the periods of a group: those asleep if they are known, else those in bed. */
export function measureGroup({ periods }: Pick<PeriodGroup, 'periods'>): number {
  const full = sumUnion(periods.filter(({ state }) => state === 'full'))
  return full > 0 ? full : sumUnion(periods.filter(({ state }) => state === 'bed'))
}

/**
 * Adds up the groups of sources, in order of preference, by the day on which they end. A group that overlaps one of a
 * preferred source is omitted. `findDay` returns `undefined` for other days than the requested ones.
 */
export function addPeriods(
  sources: readonly { readonly streamId: string; readonly groups: readonly PeriodGroup[] }[],
  findDay: (time: number) => number | undefined
): Map<number, PeriodDay> {
  const days = new Map<number, PeriodDay>()
  let taken: PeriodGroup[] = []
  for (const { groups, streamId } of sources) {
    const added = withoutOverlapping(groups, taken)
    for (const group of added) {
      const day = findDay(group.to)
      if (day === undefined) continue
      const known = days.get(day)
      const [value, count] = [measureGroup(group), group.periods.length]
      if (!known) days.set(day, { value, count, streamId })
      else {
        known.value += value
        known.count += count
      }
    }
    taken = [...taken, ...added].toSorted((a, b) => a.from - b.from)
  }
  return days
}

/** Both in order of time; those of each do not overlap. */
function withoutOverlapping(groups: readonly PeriodGroup[], taken: readonly PeriodGroup[]): PeriodGroup[] {
  let at = 0
  return groups.filter(({ from, to }) => {
    while (at < taken.length && taken[at]!.to <= from) at++
    return at >= taken.length || taken[at]!.from >= to
  })
}

/** Returns the seconds covered by periods in order of time. */
function sumUnion(periods: readonly Period[]): number {
  let [sum, end] = [0, -Infinity]
  for (const { from, to } of periods) {
    if (to > end) sum += to - Math.max(from, end)
    end = Math.max(end, to)
  }
  return sum
}
