/** What is usual for a person: the median of 28 days, and how far the numbers are from it. (docs/api/rules.md#conditions) */
import type { HourMean } from './readings.js'
import type { NumberRange } from './judges.js'

/** Days that are compared. */
export const usualDays = 28
/** Days with data that are needed to say what is usual. */
const minDays = 7
const daySeconds = 86_400
/** Standard deviations of a normal distribution in one median absolute deviation. */
const deviationFactor = 1.4826
/** The spread is at least this share of the median: otherwise numbers that hardly differ would make every change unusual. */
const minSpread = 0.005
/** Spreads within which a number is usual. */
const spreads = 3

/** Returns the usual range of hourly means; `undefined` if there are too few days with data. */
export function computeUsualRange(hours: readonly HourMean[]): NumberRange | undefined {
  const days = new Set(hours.map(({ time }) => Math.floor(time / daySeconds)))
  if (days.size < minDays) return undefined
  const numbers = hours.map(({ mean }) => mean)
  const median = getMedian(numbers)
  const deviation = getMedian(numbers.map(number => Math.abs(number - median))) * deviationFactor
  const spread = Math.max(deviation, Math.abs(median) * minSpread) * spreads
  return { min: median - spread, max: median + spread }
}

/** Returns the median of `numbers`, which are not empty. */
function getMedian(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : sorted[middle - 1]! / 2 + sorted[middle]! / 2
}
