/** What formats of sleep have in common: what a night as a whole counts as. */
import type { Datum } from '../record.js'

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

/** A night as a whole. Its times are in seconds; `asleep`: how long somebody has slept, as far as that is known. */
export interface Night extends Pick<Datum, 'kind' | 'time' | 'duration' | 'identity' | 'clientData'> {
  readonly duration: number | undefined
  readonly asleep: number | undefined
}

/** Returns the record of a night in files that name no source. */
export function nightDatum({ asleep, ...night }: Night): Datum {
  const content = nightContent(asleep, night.duration)
  return { ...night, source: '', type: 'sleep/analysis', stream: 'Sleep', content }
}
