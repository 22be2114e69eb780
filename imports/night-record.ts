/** Builds records of nights. */
import type { ImportedRecord } from './record.js'

/** Rounding error of hours, in seconds. */
const toleranceSeconds = 60

/**
 * Returns the content of a `sleep/analysis` for a time in bed. It is `asleep` only if the sleep lasted as long as the time in bed.
 * `asleep` and `duration` are in seconds.
 */
export function getNightContent(
  asleep: number | undefined,
  duration: number | undefined
): { readonly analysis: 'asleep' | 'inBed' } {
  const isAsleep =
    asleep !== undefined && duration !== undefined && Math.abs(asleep - duration) < toleranceSeconds
  return { analysis: isAsleep ? 'asleep' : 'inBed' }
}

/** A night. Times are in seconds; `asleep` is the duration of sleep, if known. */
interface Night extends Pick<ImportedRecord, 'kind' | 'time' | 'duration' | 'identity' | 'clientData'> {
  readonly duration: number | undefined
  readonly asleep: number | undefined
}

/** Returns the record of a night, for files that name no source. */
export function buildNightRecord({ asleep, ...night }: Night): ImportedRecord {
  const content = getNightContent(asleep, night.duration)
  return { ...night, source: '', type: 'sleep/analysis', stream: 'Sleep', content }
}
