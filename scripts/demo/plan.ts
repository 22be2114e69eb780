/** Checks what is to be made. */
import { getDayStart } from '../../schemas/zones.js'
import { UsageError } from '../terminal/operands.js'
import { homeZone, type Plan } from './person/days.js'

/** Most days: ten years and a little. */
const mostDays = 3660
const daySeconds = 86_400

/** As given on the command line. */
export interface Wanted {
  readonly days: string
  readonly until?: string
  readonly seed: string
}

/** The plan for these options; `now` in seconds. Throws {@link UsageError}. */
export function planOf({ days, seed, until }: Wanted, now: number): Plan {
  if (!/^\d{1,4}$/.test(days) || Number(days) < 1 || Number(days) > mostDays)
    throw new UsageError(`--days must be a number from 1 to ${mostDays}, not ${JSON.stringify(days)}`)
  if (!/^\d{1,9}$/.test(seed))
    throw new UsageError(`--seed must be a number of up to nine digits, not ${JSON.stringify(seed)}`)
  return { days: Number(days), seed: Number(seed), until: Math.floor(untilOf(until, now)) }
}

/** The end of a day, or a moment; not after the present. */
function untilOf(text: string | undefined, now: number): number {
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
