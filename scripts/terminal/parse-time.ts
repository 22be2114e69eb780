/** Parses times that are given as options of commands. */
import { getDayStart } from '../../schemas/zones.js'
import { UsageError } from './operands.js'

const daySeconds = 86_400

/** Parses a time, or a date, of which the start or the end is returned, in seconds. Throws {@link UsageError}. */
export function parseTime(text: string, zone: string, isEnd: boolean): number {
  const ms = Date.parse(text)
  if (Number.isNaN(ms))
    throw new UsageError(`"${text}" is not a valid date or time. Use a date such as 2026-03-29`)
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return ms / 1000
  const day = ms / 1000 / daySeconds
  return isEnd ? getDayStart(zone, day + 1) - 0.001 : getDayStart(zone, day)
}
