/** `reminders.update`: changes a reminder. (docs/api/reminders.md) */
import { Type } from 'typebox'
import { Reminder, reminderFields, type StoredReminder } from '../../../schemas/plans/reminder.js'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { anyAccess } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { toReminder } from '../../reminders/occurrences.js'
import { assertForm, assertOwnChannels, checkRecording, requireOwnReminder } from '../../reminders/rules.js'
import { findNextDue, readSchedule } from '../../forms/schedule.js'
import { acceptProtectedFields, refuseProtected, trackingFields } from '../../validation/protected-fields.js'

/** Fields that only the service sets. */
const readOnlyFields = ['id', 'accessId', 'formId', 'next', ...trackingFields] as const

/**
 * Returns the changed reminder. What was due before stays as it was recorded. One that is no longer active
 * also stops repeating what is due.
 */
export const update = method({
  id: 'reminders.update',
  summary: 'Change a reminder',
  params: Type.Object(
    {
      id: Identifier,
      update: Type.Object(
        { ...Type.Partial(Type.Object(reminderFields)).properties, ...acceptProtectedFields(readOnlyFields) },
        closed
      )
    },
    closed
  ),
  result: Type.Object({ reminder: Reminder }),
  mode: 'write',
  allow: anyAccess,
  run(call, { id, update: given }) {
    const { caller, changes, now, store } = call
    const { next: former, reminder: before } = requireOwnReminder(call, id)
    refuseProtected(call, readOnlyFields, given)
    const changed = Object.fromEntries(
      Object.keys(reminderFields)
        .filter(name => Object.hasOwn(given, name))
        .map(name => [name, given[name as keyof typeof given]])
    ) as Partial<StoredReminder>
    const merged: StoredReminder = { ...before, ...changed }
    const event = checkRecording(call, merged, '#/update')
    assertForm(call, merged, '#/update')
    if (changed.channelIds) assertOwnChannels(call, changed.channelIds, before.accessId)
    const reminder: StoredReminder = {
      ...merged,
      event,
      schedule: readSchedule(merged.schedule, '#/update/schedule'),
      channelIds: [...new Set(merged.channelIds)],
      modified: store.stamp(now),
      modifiedBy: caller.signature
    }
    // A time that has just come, and is not recorded yet, is not lost.
    const following = isDueAlike(before, reminder) ? former : (findNextDue(reminder, now) ?? null)
    const next = reminder.isActive ? following : null
    store.reminders.put({ reminder, next })
    if (!reminder.isActive) store.occurrences.silence(id)
    changes.add('timers')
    return { reminder: toReminder({ reminder, next }) }
  }
})

/** Returns whether a reminder is due at the same times before and after a change. */
function isDueAlike(before: StoredReminder, after: StoredReminder): boolean {
  return describeTimes(before) === describeTimes(after)
}

function describeTimes({ isActive, schedule, zone }: StoredReminder): string {
  return JSON.stringify([isActive, schedule, zone])
}
