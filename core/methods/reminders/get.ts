/** `reminders.get`: lists reminders, and what is due today. (docs/api/reminders.md) */
import { Type } from 'typebox'
import { Occurrence, Reminder } from '../../../schemas/plans/reminder.js'
import { closed } from '../../../schemas/scalars.js'
import { anyAccess } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { listNear, toReminder } from '../../reminders/occurrences.js'

/** Returns the reminders that the caller created, oldest first; for personal accesses all. */
export const get = method({
  id: 'reminders.get',
  summary: 'List reminders, and when they are due',
  params: Type.Object({}, closed),
  result: Type.Object({
    reminders: Type.Array(Reminder),
    /** Occurrences of the last 24 hours and the next 24 hours, in order of time. */
    occurrences: Type.Array(Occurrence)
  }),
  mode: 'read',
  allow: anyAccess,
  run(call) {
    const { caller, store } = call
    const rows = store.reminders
      .list()
      .filter(({ reminder }) => caller.isPersonal || reminder.accessId === caller.accessId)
      .toSorted((a, b) => a.reminder.created - b.reminder.created)
    return {
      reminders: rows.map(toReminder),
      occurrences: rows.flatMap(row => listNear(call, row)).toSorted((a, b) => a.due - b.due)
    }
  }
})
