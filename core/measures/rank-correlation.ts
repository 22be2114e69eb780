/** Spearman's rank correlation: whether two values rise and fall together, however uneven their scales. (docs/api/measure-methods.md#comparing) */

/** How two values go together, with an interval of confidence. All are from -1 to 1. */
interface Correlation {
  readonly rho: number
  readonly low: number
  readonly high: number
}

/** Minimum number of pairs. */
const minPairs = 10
/**
 * Quantiles of the normal distribution for an interval of 95 % that holds for all of 1, 3, 5 or 7 comparisons together (Bonferroni's
 * correction).
 */
const quantiles: Readonly<Record<number, number>> = { 1: 1.959964, 3: 2.39398, 5: 2.575829, 7: 2.69011 }

/**
 * Correlates pairs of numbers. Returns `undefined` for fewer than 10 pairs, or if one of the values is always
 * the same. `comparisons`: how many correlations are read together, 1, 3 or 5, others count as 7; the more,
 * the wider the interval. (Bonett and Wright, 2000)
 */
export function correlateRanks(
  pairs: readonly (readonly [number, number])[],
  comparisons = 1
): Correlation | undefined {
  const count = pairs.length
  if (count < minPairs) return undefined
  const rho = correlate(computeRanks(pairs.map(([a]) => a)), computeRanks(pairs.map(([, b]) => b)))
  if (rho === undefined) return undefined
  const error = Math.sqrt((1 + rho ** 2 / 2) / (count - 3))
  const reach = (quantiles[comparisons] ?? quantiles[7]!) * error
  const centre = Math.atanh(rho)
  return { rho, low: Math.tanh(centre - reach), high: Math.tanh(centre + reach) }
}

/** Returns the rank of each value; equal values share the mean of their ranks. */
function computeRanks(values: readonly number[]): number[] {
  const order = values.map((_, at) => at).toSorted((a, b) => values[a]! - values[b]!)
  const ranks: number[] = values.map(() => 0)
  for (let first = 0; first < order.length;) {
    let next = first + 1
    while (next < order.length && values[order[next]!] === values[order[first]!]) next++
    for (let at = first; at < next; at++) ranks[order[at]!] = (first + next - 1) / 2
    first = next
  }
  return ranks
}

/** Returns Pearson's correlation of two lists of ranks; `undefined` if one list is constant. */
function correlate(a: readonly number[], b: readonly number[]): number | undefined {
  const middle = (a.length - 1) / 2
  let [ab, aa, bb] = [0, 0, 0]
  for (const [at, rankOfA] of a.entries()) {
    const [x, y] = [rankOfA - middle, b[at]! - middle]
    ab += x * y
    aa += x * x
    bb += y * y
  }
  if (aa === 0 || bb === 0) return undefined
  // Rounding must not leave the range.
  return Math.max(-1, Math.min(1, ab / Math.sqrt(aa * bb)))
}
