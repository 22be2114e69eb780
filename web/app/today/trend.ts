/** Compares a day with the days before it, robustly: by their median and their median absolute deviation. */

/** How far a value is from what is usual, in words. */
type Trend = 'usual' | `${'low' | 'high'}.${'little' | 'clear' | 'much'}`

/** Days with data that are needed to say what is usual. */
const minDays = 7
/** The spread is at least this share of the median: values that hardly ever differ would make every change look large. */
const minSpread = 0.005
/** Standard deviations of a normal distribution in one median absolute deviation. */
const deviationFactor = 1.4826

/** Returns the median; undefined if there are no values. */
export function getMedian(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : sorted[middle - 1]! / 2 + sorted[middle]! / 2
}

/**
 * Returns how a value compares to earlier ones, or undefined if there are too few. Within one spread, which includes about two of
 * three days, it is as usual; up to two, one of five days, a little different; from three and a half on, one of two thousand, very.
 */
export function getTrend(value: number, before: readonly number[]): Trend | undefined {
  const median = getMedian(before)
  if (median === undefined || before.length < minDays) return undefined
  const deviation = getMedian(before.map(each => Math.abs(each - median)))! * deviationFactor
  const spread = Math.max(deviation, Math.abs(median) * minSpread)
  const difference = value - median
  if (Math.abs(difference) <= spread) return 'usual'
  const size = Math.abs(difference) / spread
  return `${difference < 0 ? 'low' : 'high'}.${size < 2 ? 'little' : size < 3.5 ? 'clear' : 'much'}`
}
