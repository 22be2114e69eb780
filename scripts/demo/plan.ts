/** Parses the options that determine the sample data. */
import { getDayStart } from '../../schemas/zones.js'
import { UsageError } from '../terminal/operands.js'
import { homeZone, type Plan } from './person/days.js'

/** Maximum number of days: ten years. */
const maxDays = 3660
const daySeconds = 86_400

/** The options as given on the command line. */
interface PlanOptions {
  readonly days: string
  readonly until?: string
  readonly seed: string
}

/** Parses the options; `now` in seconds. Throws {@link UsageError} if one is not valid. */
export function parsePlan({ days, seed, until }: PlanOptions, now: number): Plan {
  if (!/^\d{1,4}$/.test(days) || Number(days) < 1 || Number(days) > maxDays)
    throw new UsageError(`--days must be a number from 1 to ${maxDays}, not ${JSON.stringify(days)}`)
  if (!/^\d{1,9}$/.test(seed))
    throw new UsageError(`--seed must be a number of up to nine digits, not ${JSON.stringify(seed)}`)
  return { days: Number(days), seed: Number(seed), until: Math.floor(parseUntil(until, now)) }
}

/**
 * Parses a time, or a date, of which the end is returned (at most `now`), in seconds; `now` if none is given.
 * Throws {@link UsageError} if it is not valid or in the future.
 */
function parseUntil(text: string | undefined, now: number): number {
  if (text === undefined) return now
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text)
  const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)$/.test(text)
  const ms = isDate || isMoment ? Date.parse(text) : NaN
  const isReal = !Number.isNaN(ms) && (!isDate || new Date(ms).toISOString().startsWith(text))
  if (!isReal || ms < Date.UTC(2000, 0, 1))
    throw new UsageError(
      `--until must be a date such as 2026-03-31, or a time such as 2026-03-31T18:00:00Z, not ${JSON.stringify(text)}`
    )
  if (ms / 1000 > now) throw new UsageError(`--until can't be in the future: ${text}`)
  return isDate ? Math.min(now, getDayStart(homeZone, ms / 1000 / daySeconds + 1) - 1) : ms / 1000
}
