/** The range of local dates in the params of methods. */
import { Type } from 'typebox'
import { orNull } from '../../schemas/scalars.js'
import { parseDate as parseDay } from '../../schemas/zones.js'
import { describeMergedScope } from '../audit/read-scope.js'
import type { Call } from '../call/method.js'
import { refuseParams } from '../validation/params.js'
import { assertZone } from '../validation/zones.js'
import { listDays, type DayRange } from './grids.js'
import { assertNoAudit } from './params.js'

/** A local date, such as `2026-03-29`. */
export const DateText = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })

/** Params of a method that reads days. */
export const dateParams = {
  /** See core/events/streams-query.ts. */
  streams: Type.Optional(Type.Unknown()),
  /** Local dates, both included. */
  from: DateText,
  to: DateText,
  /** Name of the time zone whose days these are. */
  zone: orNull(Type.String())
}

/** Maximum number of days: thirty years. */
const maxDays = 10_958

interface DateParams {
  readonly streams?: unknown
  readonly from: string
  readonly to: string
  readonly zone?: string | undefined
}

/**
 * Returns the days of a range, and the number of the first one. Throws `invalid-parameters-format` for dates
 * that do not exist, a range that is empty or too long, and unknown zones, `invalid-operation` for streams of
 * the audit. Notes what is read, for the audit.
 */
export function readDateRange(
  call: Call,
  { streams, zone = 'UTC', ...dates }: DateParams
): { readonly days: DayRange; readonly first: number } {
  assertZone(zone, '#/zone')
  const [first, last] = [parseDate(dates.from, '#/from'), parseDate(dates.to, '#/to')]
  if (first > last) refuseParams([{ code: 'MINIMUM', message: 'must not be before from', path: '#/to' }])
  if (last - first >= maxDays)
    refuseParams([{ code: 'MAXIMUM', message: `must be within ${maxDays} days of from`, path: '#/to' }])
  assertNoAudit(streams)
  const days = listDays(zone, first, last)
  call.auditScope = describeMergedScope(call.caller, streams, {
    from: days.starts[0]!,
    to: days.starts.at(-1)!
  })
  return { days, first }
}

/** Returns the number of a day. Throws `invalid-parameters-format` for dates that do not exist. */
export function parseDate(text: string, path: string): number {
  return (
    parseDay(text) ?? refuseParams([{ code: 'INVALID', message: 'must be a date such as 2026-03-29', path }])
  )
}
