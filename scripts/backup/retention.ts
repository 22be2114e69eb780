/** Which of several backups are kept. */

/** For how many of the latest days, weeks and months a backup is kept. */
export interface KeepRule {
  readonly days: number
  readonly weeks: number
  readonly months: number
}

const daySeconds = 86_400
/** The Monday before 1970 began, in days. */
const firstMonday = -3

/**
 * Returns those of the given times (seconds) whose backups are kept: the latest, and the last one of each of the latest days, weeks
 * (from Monday) and months that have any, by UTC.
 */
export function keptOf(times: readonly number[], { days, months, weeks }: KeepRule): ReadonlySet<number> {
  const latestFirst = times.toSorted((a, b) => b - a)
  const kept = new Set(latestFirst.slice(0, 1))
  keepLast(latestFirst, days, dayOf, kept)
  keepLast(latestFirst, weeks, time => Math.floor((dayOf(time) - firstMonday) / 7), kept)
  keepLast(latestFirst, months, time => new Date(time * 1000).toISOString().slice(0, 7), kept)
  return kept
}

function dayOf(time: number): number {
  return Math.floor(time / daySeconds)
}

function keepLast(
  latestFirst: readonly number[],
  count: number,
  periodOf: (time: number) => number | string,
  kept: Set<number>
): void {
  const periods = new Set<number | string>()
  for (const time of latestFirst) {
    const period = periodOf(time)
    if (periods.has(period)) continue
    if (periods.size >= count) return
    periods.add(period)
    kept.add(time)
  }
}
