/** Times of FHIR: dates have four-digit years, and offsets of 14 hours at most. */
import type { Event } from '../../schemas/event.js'
import { TimeFormatter } from './time-formatter.js'

const universal = new TimeFormatter()
const validOffset = /(?:Z|[+-](?:0\d|1[0-3]):\d\d|[+-]14:00)$/
const fourDigitYear = /^(?!0000)\d{4}-/

/** Formats a time (seconds); `undefined` if FHIR cannot express it. */
export function toTimeText(instants: TimeFormatter, time: number): string | undefined {
  const text = instants.format(time)
  const valid = validOffset.test(text) ? text : universal.format(time)
  return fourDigitYear.test(valid) ? valid : undefined
}

/** Returns `effectiveDateTime` or `effectivePeriod`, for `effective`, with the time of an event; empty if FHIR cannot express it. */
export function toChoiceOfTime(
  prefix: string,
  instants: TimeFormatter,
  { duration, time }: Pick<Event, 'duration' | 'time'>
): object {
  const start = toTimeText(instants, time)
  if (start === undefined) return {}
  if (duration === undefined || duration === 0) return { [`${prefix}DateTime`]: start }
  const end = duration === null ? undefined : toTimeText(instants, time + duration)
  return { [`${prefix}Period`]: { start, ...(end !== undefined && { end }) } }
}
