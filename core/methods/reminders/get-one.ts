/** `reminders.getOne`: returns a reminder with its last answers. (docs/api/reminders.md) */
import { Type } from 'typebox'
import { Occurrence, Reminder } from '../../../schemas/plans/reminder.js'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { anyAccess } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { toOccurrence, toReminder } from '../../reminders/occurrences.js'
import { requireOwnReminder } from '../../reminders/rules.js'

/** Number of occurrences that are returned. */
const maxOccurrences = 50

/** Returns the reminder and the last 50 times at which it was due, latest first. */
export const getOne = method({
  id: 'reminders.getOne',
  summary: 'Get a reminder with its last answers',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Object({ reminder: Reminder, occurrences: Type.Array(Occurrence) }),
  mode: 'read',
  allow: anyAccess,
  run(call, { id }) {
    const row = requireOwnReminder(call, id)
    const occurrences = call.store.occurrences.listLast(id, maxOccurrences).map(toOccurrence)
    return { reminder: toReminder(row), occurrences }
  }
})
