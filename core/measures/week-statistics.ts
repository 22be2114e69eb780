/** The figures of a week, and how they compare with the four weeks before. (docs/api/measure-methods.md#a-week) */

/** Where a week lies: `unknown` if there are too few days. */
type Position = 'lower' | 'usual' | 'higher' | 'unknown'

/** What is usual: the values of two days of three are between `low` and `high`. */
interface Usual {
  /** Number of days with data. */
  readonly days: number
  readonly median: number
  readonly low: number
  readonly high: number
}

/** Fewest days with data of the week, and of the days before, for a comparison. */
const fewestDays = 4
const fewestUsualDays = 14
/** Factors by which deviations are those of a normal distribution. */
const medianDeviationFactor = 1.4826
const meanDeviationFactor = 1.2533
/** The spread is at least this share of the median: values that hardly ever differ would make every change look large. */
const minSpread = 0.005

/** Returns the median; `undefined` without values, or if it is too large for a number. */
export function getMedian(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const median = sorted.length % 2 === 1 ? sorted[middle]! : sorted[middle - 1]! / 2 + sorted[middle]! / 2
  return Number.isFinite(median) ? median : undefined
}

/**
 * Returns what is usual. The spread is the median of the deviations from the median, which a few odd days do
 * not change; if most days have the same value, the mean of the deviations without the largest tenth. Returns
 * `undefined` without values, or if they are too large for a number.
 */
export function describeUsual(values: readonly number[]): Usual | undefined {
  const median = getMedian(values)
  if (median === undefined) return undefined
  const deviations = values.map(value => Math.abs(value - median)).toSorted((a, b) => a - b)
  const kept = deviations.slice(0, -Math.ceil(deviations.length / 10))
  const mean = kept.reduce((sum, each) => sum + each / kept.length, 0)
  const typical = medianDeviationFactor * (getMedian(deviations) ?? Infinity) || meanDeviationFactor * mean
  const spread = Math.max(typical, Math.abs(median) * minSpread)
  const [low, high] = [median - spread, median + spread]
  if (!Number.isFinite(low) || !Number.isFinite(high)) return undefined
  return { days: values.length, median, low, high }
}

/** Compares the median of a week with what is usual. With too few days, the result is `unknown`. */
export function compareWeek(week: readonly number[], usual: Usual | undefined): Position {
  const median = getMedian(week)
  if (median === undefined || !usual || week.length < fewestDays || usual.days < fewestUsualDays)
    return 'unknown'
  if (median < usual.low) return 'lower'
  return median > usual.high ? 'higher' : 'usual'
}
