/** Returns what a week was like, compared with the four weeks before. (docs/api/measure-methods.md#a-week) */
import { Type } from 'typebox'
import { closed, orNull } from '../../../schemas/scalars.js'
import { formatDate, getLocalDay } from '../../../schemas/zones.js'
import { Looked, LookedListing } from '../../audit/looked-listing.js'
import { describeMergedScope } from '../../audit/read-scope.js'
import { anyAccess } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { DateText, parseDate } from '../../measures/date-range.js'
import { listDays } from '../../measures/grids.js'
import { MeasureWeek, weekDays } from '../../measures/measure-week.js'
import { WeekListing } from '../../measures/week-listing.js'
import { omitNulls } from '../../validation/omit-nulls.js'
import { refuseParams } from '../../validation/params.js'
import { assertZone } from '../../validation/zones.js'

/** 1 January 1900, counted from 1970. */
const firstDay = -25_567

/**
 * Returns the measures that have data in the week, or in the four before; for the user also who has looked.
 * The week ends yesterday unless `to` is given.
 */
export const week = method({
  id: 'measures.week',
  summary: 'Summarise a week',
  params: Type.Object(
    {
      /** The last day of the week. Default: yesterday. */
      to: orNull(DateText),
      /** Name of the time zone whose days these are. */
      zone: orNull(Type.String())
    },
    closed
  ),
  result: Type.Object({
    from: DateText,
    to: DateText,
    measures: Type.Array(MeasureWeek),
    /** Who has read data in the week; only for personal accesses. */
    looked: Type.Optional(Type.Array(Looked))
  }),
  mode: 'read',
  allow: anyAccess,
  run(call, params) {
    const { to, zone = 'UTC' } = omitNulls(params)
    assertZone(zone, '#/zone')
    const last = to === undefined ? getLocalDay(zone, call.now).number - 1 : parseDate(to, '#/to')
    if (last < firstDay) refuseParams([{ code: 'MINIMUM', message: 'must not be before 1900', path: '#/to' }])
    const { starts } = listDays(zone, last + 1 - weekDays, last)
    const { caller } = call
    call.auditScope = describeMergedScope(caller, undefined, { from: starts[0]!, to: starts.at(-1)! })
    return {
      from: formatDate(last + 1 - weekDays),
      to: formatDate(last),
      measures: new WeekListing(call, { last, zone }),
      ...(caller.isPersonal &&
        call.services.config.audit.active && { looked: new LookedListing(call, starts) })
    }
  }
})
