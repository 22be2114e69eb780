/** `reminders.days`: how often a reminder was followed on each day. (docs/api/reminders.md#days) */
import { Type } from 'typebox'
import { ReminderDate } from '../../../schemas/plans/reminder.js'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { formatDate, getLocalDay, parseDate } from '../../../schemas/zones.js'
import { anyAccess } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { requireOwnReminder } from '../../reminders/rules.js'
import { refuseParams } from '../../validation/params.js'

/** Maximum number of days of a call. */
const maxDays = 366

/** Returns the days on which the reminder was due, in order; the range has at most 366. */
export const days = method({
  id: 'reminders.days',
  summary: 'Get how often a reminder was followed on each day',
  params: Type.Object({ id: Identifier, from: ReminderDate, to: ReminderDate }, closed),
  result: Type.Object({
    days: Type.Array(
      Type.Object({
        day: Type.String(),
        due: Type.Integer(),
        done: Type.Integer(),
        skipped: Type.Integer(),
        /** Number of occurrences without an answer; 0 until the day is over. */
        missed: Type.Integer()
      })
    )
  }),
  mode: 'read',
  allow: anyAccess,
  run(call, { id, from, to }) {
    const { reminder } = requireOwnReminder(call, id)
    const [first, last] = [readDay(from, '#/from'), readDay(to, '#/to')]
    if (last < first) refuseParams([{ code: 'MINIMUM', message: 'must not be before from', path: '#/to' }])
    if (last - first >= maxDays)
      refuseParams([{ code: 'MAXIMUM', message: `must be within ${maxDays} days of from`, path: '#/to' }])
    const today = getLocalDay(reminder.zone, call.now).number
    return {
      days: call.store.occurrences.countByDay(id, first, last).map(({ day, done, due, skipped }) => ({
        day: formatDate(day),
        due,
        done,
        skipped,
        missed: day < today ? due - done - skipped : 0
      }))
    }
  }
})

/** Returns the number of a day. Throws `invalid-parameters-format` for dates that do not exist. */
function readDay(date: string, path: string): number {
  return (
    parseDate(date) ?? refuseParams([{ code: 'INVALID', message: 'must be a date such as 2026-03-29', path }])
  )
}
