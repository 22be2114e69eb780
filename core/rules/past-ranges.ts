/** What was plausible or usual at each time in the past, for the test of a rule. */
import type { ConditionOf } from '../../schemas/rule.js'
import type { NumberRange } from './judges.js'
import { findPlausibleRange } from './reading-watcher.js'
import type { HourMean, Reading } from './readings.js'
import { computeUsualRange, usualDays } from './usual-range.js'

const hourSeconds = 3600
const daySeconds = 86_400

/**
 * Returns a function that returns the range at a time; `undefined` if there is none. What is usual comes from
 * the days before. `readings`: in the order of their times.
 */
export function listPastRanges(
  { measure, range }: ConditionOf<'outside'>,
  readings: readonly Reading[]
): (time: number) => NumberRange | undefined {
  if (range === 'plausible') {
    const plausible = findPlausibleRange({ id: measure })
    return () => plausible
  }
  const hours = computeHourlyMeans(readings)
  const known = new Map<number, NumberRange | undefined>()
  return time => {
    const end = Math.floor(time / daySeconds) * daySeconds
    if (!known.has(end)) {
      const from = end - usualDays * daySeconds
      known.set(end, computeUsualRange(hours.filter(hour => hour.time >= from && hour.time < end)))
    }
    return known.get(end)
  }
}

function computeHourlyMeans(readings: readonly Reading[]): HourMean[] {
  const sums = new Map<number, { sum: number; count: number }>()
  for (const { time, value } of readings) {
    const hour = Math.floor(time / hourSeconds) * hourSeconds
    const known = sums.get(hour) ?? { sum: 0, count: 0 }
    sums.set(hour, { sum: known.sum + value, count: known.count + 1 })
  }
  return Array.from(sums, ([time, { count, sum }]) => ({ time, mean: sum / count }))
}
