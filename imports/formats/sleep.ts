/** What formats of sleep have in common: what a night as a whole counts as. */

/** Seconds that rounded hours may be off by. */
const tolerance = 60

/**
 * Returns the content of a `sleep/analysis` for the time between going to bed and getting up. It is sleep only where somebody has
 * slept for as long as it lasted: `asleep` and `duration` are in seconds.
 */
export function nightContent(
  asleep: number | undefined,
  duration: number | undefined
): { readonly analysis: 'asleep' | 'inBed' } {
  const isAsleep = asleep !== undefined && duration !== undefined && Math.abs(asleep - duration) < tolerance
  return { analysis: isAsleep ? 'asleep' : 'inBed' }
}
