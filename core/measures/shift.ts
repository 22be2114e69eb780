/** By how much values differ before and after something, robustly: Hodges and Lehmann’s estimates. (docs/api/measure-methods.md#before-and-after) */

/** A difference with the limits of its 95 % interval, which are absent with too few values. */
interface Shift {
  readonly value: number
  readonly low?: number
  readonly high?: number
}

/** Quantile of the normal distribution for an interval of 95 %. */
const quantile = 1.959964

/**
 * Returns the median of all differences between two samples; its interval is that of the test of Mann and
 * Whitney. Returns `undefined` if a sample is empty, or numbers are too large.
 */
export function estimateShift(before: readonly number[], after: readonly number[]): Shift | undefined {
  const [n, m] = [before.length, after.length]
  if (n === 0 || m === 0) return undefined
  const differences = after.flatMap(late => before.map(early => late - early))
  const spread = Math.sqrt((n * m * (n + m + 1)) / 12)
  return readShift(differences, (n * m) / 2 - quantile * spread)
}

/**
 * Returns the median of the means of all pairs of differences; its interval is that of Wilcoxon’s signed-rank
 * test. Returns `undefined` if there are none, or numbers are too large.
 */
export function estimatePairedShift(differences: readonly number[]): Shift | undefined {
  const n = differences.length
  if (n === 0) return undefined
  const means = differences.flatMap((one, index) =>
    differences.slice(index).map(other => one / 2 + other / 2)
  )
  const spread = Math.sqrt((n * (n + 1) * (2 * n + 1)) / 24)
  return readShift(means, (n * (n + 1)) / 4 - quantile * spread)
}

/** `rank`: that of the interval’s limits, counted from both ends; below 1 if there are too few values. */
function readShift(all: readonly number[], rank: number): Shift | undefined {
  const sorted = all.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const value = sorted.length % 2 === 1 ? sorted[middle]! : sorted[middle - 1]! / 2 + sorted[middle]! / 2
  if (!Number.isFinite(value)) return undefined
  const at = Math.floor(rank)
  if (at < 1) return { value }
  const [low, high] = [sorted[at - 1]!, sorted[sorted.length - at]!]
  return Number.isFinite(low) && Number.isFinite(high) ? { value, low, high } : { value }
}
