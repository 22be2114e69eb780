/** Parses times that are given as options of commands. */
import { getDayStart, parseDate, parseTime as parseInstant } from '../../schemas/zones.js'
import { UsageError } from './operands.js'

/** Parses a time, or a date, of which the start or the end is returned, in seconds. Throws {@link UsageError}. */
export function parseTime(text: string, zone: string, isEnd: boolean): number {
  const day = parseDate(text)
  if (day !== undefined) return isEnd ? getDayStart(zone, day + 1) - 0.001 : getDayStart(zone, day)
  const time = parseInstant(text)
  if (time !== undefined) return time
  throw new UsageError(
    `"${text}" is not a valid date or time. Use a date such as 2026-03-29, or a time such as 2026-03-29T18:00:00Z`
  )
}
