/** Returns the value of a measure on each of some days, over all its sources. (docs/api/measure-methods.md#days) */
import { Type } from 'typebox'
import { closed, Identifier, orNull } from '../../../schemas/scalars.js'
import { formatDate } from '../../../schemas/zones.js'
import { describeQueryScope } from '../../audit/read-scope.js'
import { anyAccess } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { startDays } from '../../measures/day-values.js'
import { listDays } from '../../measures/grids.js'
import { KnownMeasures, TypeName } from '../../measures/known-measures.js'
import { describeSourceOrder } from '../../measures/order-sources.js'
import { assertNoAudit, assertUnit, MeasureId } from '../../measures/params.js'
import { RunListing } from '../../measures/run-listing.js'
import { refuseParams } from '../../validation/params.js'
import { assertZone } from '../../validation/zones.js'
import { omitNulls } from '../../validation/omit-nulls.js'

const DateText = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })

/** A number of seconds, of words, or whatever the measure holds. */
const Day = Type.Object({
  day: DateText,
  /** Absent if it is too large for a number. */
  value: Type.Optional(Type.Unknown()),
  min: Type.Optional(Type.Unknown()),
  max: Type.Optional(Type.Unknown()),
  count: Type.Integer(),
  source: Identifier
})

/** Maximum number of days: thirty years. */
const maxDays = 10_958
const dayMs = 86_400_000

/** Returns the days that have data, in order. */
export const days = method({
  id: 'measures.days',
  summary: 'Get the value of a measure on each day',
  params: Type.Object(
    {
      measure: MeasureId,
      /** See core/events/streams-query.ts. */
      streams: Type.Optional(Type.Unknown()),
      /** Local dates, both included. */
      from: DateText,
      to: DateText,
      /** Name of the time zone whose days these are. */
      zone: orNull(Type.String()),
      unit: orNull(TypeName)
    },
    closed
  ),
  result: Type.Object({ days: Type.Array(Day) }),
  mode: 'read',
  allow: anyAccess,
  isCacheable: () => true,
  hiddenState: describeSourceOrder,
  run(call, params) {
    const { measure: id, streams, unit, zone = 'UTC', ...dates } = omitNulls(params)
    const [measure] = new KnownMeasures(call).require([id])
    assertZone(zone, '#/zone')
    assertUnit(measure!, unit)
    const [first, last] = [parseDate(dates.from, '#/from'), parseDate(dates.to, '#/to')]
    if (first > last) refuseParams([{ code: 'MINIMUM', message: 'must not be before from', path: '#/to' }])
    if (last - first >= maxDays)
      refuseParams([{ code: 'MAXIMUM', message: `must be within ${maxDays} days of from`, path: '#/to' }])
    assertNoAudit(streams)
    const range = listDays(zone, first, last)
    call.auditScope = describeQueryScope(call.caller, streams, {
      from: range.starts[0]!,
      to: range.starts.at(-1)!
    })
    return {
      days: new RunListing(call, streams, reading =>
        startDays(reading, {
          measure: measure!,
          streams,
          unit,
          days: range,
          format: ({ day, ...value }) => JSON.stringify({ day: formatDate(first + day), ...value })
        })
      )
    }
  }
})

/** Returns the number of a day. Throws `invalid-parameters-format` for dates that do not exist. */
function parseDate(text: string, path: string): number {
  const time = Date.parse(`${text}T00:00:00Z`)
  if (Number.isNaN(time) || formatDate(time / dayMs) !== text)
    refuseParams([{ code: 'INVALID', message: 'must be a date such as 2026-03-29', path }])
  return time / dayMs
}
