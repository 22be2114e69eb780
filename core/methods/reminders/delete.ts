/** `reminders.delete`: removes a reminder. (docs/api/reminders.md) */
import { Type } from 'typebox'
import { closed, Identifier, ItemDeletion } from '../../../schemas/scalars.js'
import { anyAccess } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { requireOwnReminder } from '../../reminders/rules.js'

/** Returns the deletion. The answers are removed too; the events that they created stay. */
export const deleteReminder = method({
  id: 'reminders.delete',
  summary: 'Remove a reminder',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Object({ reminderDeletion: ItemDeletion }),
  mode: 'write',
  mayExceedQuota: true,
  allow: anyAccess,
  run(call, { id }) {
    requireOwnReminder(call, id)
    call.store.reminders.remove(id)
    call.changes.add('timers')
    return { reminderDeletion: { id, deleted: call.now } }
  }
})
