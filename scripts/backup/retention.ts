/** Decides which backups to keep. */

/** Number of the latest days, weeks and months for each of which a backup is kept. */
export interface RetentionRule {
  readonly days: number
  readonly weeks: number
  readonly months: number
}

const daySeconds = 86_400
/** The last Monday before 1970, in days. */
const mondayBefore1970 = -3

/**
 * Returns the times (seconds) of the backups to keep: the latest, and the last one of each of the latest days, weeks (from Monday)
 * and months that have any, in UTC.
 */
export function selectKept(
  times: readonly number[],
  { days, months, weeks }: RetentionRule
): ReadonlySet<number> {
  const latestFirst = times.toSorted((a, b) => b - a)
  const kept = new Set(latestFirst.slice(0, 1))
  addLastOfPeriods(latestFirst, days, toDay, kept)
  addLastOfPeriods(latestFirst, weeks, time => Math.floor((toDay(time) - mondayBefore1970) / 7), kept)
  addLastOfPeriods(latestFirst, months, time => new Date(time * 1000).toISOString().slice(0, 7), kept)
  return kept
}

function toDay(time: number): number {
  return Math.floor(time / daySeconds)
}

/** Adds the last time of each of the latest `count` periods that have any to `kept`. */
function addLastOfPeriods(
  latestFirst: readonly number[],
  count: number,
  getPeriod: (time: number) => number | string,
  kept: Set<number>
): void {
  const periods = new Set<number | string>()
  for (const time of latestFirst) {
    const period = getPeriod(time)
    if (periods.has(period)) continue
    if (periods.size >= count) return
    periods.add(period)
    kept.add(time)
  }
}
