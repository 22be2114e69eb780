/** Returns the value of a measure on each of some days, over all its sources. (docs/api/measure-methods.md#days) */
import { Type } from 'typebox'
import { closed, Identifier, orNull } from '../../../schemas/scalars.js'
import { formatDate } from '../../../schemas/zones.js'
import { anyAccess } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { startDays } from '../../measures/day-values.js'
import { dateParams, DateText, readDateRange } from '../../measures/date-range.js'
import { KnownMeasures, TypeName } from '../../measures/known-measures.js'
import { describeHiddenState } from '../../measures/order-sources.js'
import { assertUnit, MeasureId } from '../../measures/params.js'
import { RunListing } from '../../measures/run-listing.js'
import { omitNulls } from '../../validation/omit-nulls.js'

/** A number of seconds, of words, or whatever the measure holds. */
const Day = Type.Object({
  day: DateText,
  /** The value of the day; absent if it is too large for a number. */
  value: Type.Optional(Type.Unknown()),
  min: Type.Optional(Type.Unknown()),
  max: Type.Optional(Type.Unknown()),
  count: Type.Integer(),
  source: Identifier
})

/** Returns the days that have data, in order. */
export const days = method({
  id: 'measures.days',
  summary: 'Get the value of a measure on each day',
  params: Type.Object(
    {
      measure: MeasureId,
      ...dateParams,
      unit: orNull(TypeName)
    },
    closed
  ),
  result: Type.Object({ days: Type.Array(Day) }),
  mode: 'read',
  allow: anyAccess,
  isCacheable: () => true,
  hiddenState: describeHiddenState,
  run(call, params) {
    const { measure: id, unit, ...range } = omitNulls(params)
    const { streams } = range
    const [measure] = new KnownMeasures(call).require([id])
    assertUnit(measure!, unit)
    const { days: dayRange, first } = readDateRange(call, range)
    return {
      days: new RunListing(call, streams, reading =>
        startDays(reading, {
          measure: measure!,
          streams,
          unit,
          days: dayRange,
          format: ({ day, longest: _longest, ...value }) =>
            JSON.stringify({ day: formatDate(first + day), ...value })
        })
      )
    }
  }
})
