/** `reminders.answer`: says what became of a reminder that is due. (docs/api/reminders.md#answers) */
import { Type, type Static } from 'typebox'
import { Event } from '../../../schemas/event.js'
import { Occurrence, type StoredReminder } from '../../../schemas/plans/reminder.js'
import { closed, Identifier, orNull, Timestamp } from '../../../schemas/scalars.js'
import { zoneKey } from '../../../schemas/zones.js'
import { anyAccess } from '../../auth/allow.js'
import { method, type Call } from '../../call/method.js'
import { runUninterrupted } from '../../dispatch/run-write.js'
import { fail } from '../../errors.js'
import { assertMayAddTo } from '../../events/event-permissions.js'
import { createId } from '../../ids.js'
import { findOccurrence, toOccurrence } from '../../reminders/occurrences.js'
import { requireOwnReminder } from '../../reminders/rules.js'
import { omitNulls } from '../../validation/omit-nulls.js'
import { refuseParams } from '../../validation/params.js'
import { create as createEvent } from '../events/create.js'

/** Key in the `clientData` of events: the reminder, and when it was due. */
const reminderKey = 'coffer:reminder'
/** Seconds for which a reminder is postponed by default. */
const defaultDelay = 900
/** Seconds before and after the due time in which something can have been done. */
const maxDistance = 7 * 86_400

const Params = Type.Object(
  {
    id: Identifier,
    due: Timestamp,
    answer: Type.Enum(['done', 'skipped', 'later']),
    /** When the reminder was followed; now by default. */
    time: orNull(Timestamp),
    /** Seconds until the user is notified again. */
    laterBy: orNull(Type.Integer({ minimum: 60, maximum: 86_400 }))
  },
  closed
)

/**
 * Records the answer and returns the occurrence; if it is done, also the event that was created. The same
 * answer again changes nothing. Throws `unknown-resource` if the reminder was not due then,
 * `invalid-operation` if it is done already, or done by a form.
 */
export const answer = method({
  id: 'reminders.answer',
  summary: 'Say what became of a reminder',
  params: Params,
  result: Type.Object({ occurrence: Occurrence, event: Type.Optional(Event) }),
  mode: 'write',
  allow: anyAccess,
  run(call, params) {
    const { now, store } = call
    const given = omitNulls(params)
    const { id, due, answer: state } = given
    const row = requireOwnReminder(call, id)
    const { reminder } = row
    const before =
      findOccurrence(call, row, due) ?? fail('unknown-resource', 'The reminder is not due at this time')
    assertMayAddTo(call, reminder.streamId)
    if (before.state === state) return { occurrence: toOccurrence(before) }
    if (before.state === 'done')
      fail('invalid-operation', 'The reminder is done already. Delete its event to answer again')
    if (state === 'done' && reminder.kind === 'form')
      fail('invalid-operation', 'Store a response to the form of this reminder instead')
    call.changes.add('timers')
    const answered = { ...before, state, answered: now, event: null, next: null }
    if (state === 'later') {
      const next = Math.max(now, due) + (given.laterBy ?? defaultDelay)
      const later = { ...answered, next, repeats: reminder.repeats }
      store.occurrences.put(later)
      return { occurrence: toOccurrence(later) }
    }
    if (state === 'skipped') {
      store.occurrences.put(answered)
      return { occurrence: toOccurrence(answered) }
    }
    const eventId = createId()
    store.occurrences.put({ ...answered, event: eventId })
    return {
      occurrence: toOccurrence({ ...answered, event: eventId }),
      ...recordAnswer(call, reminder, given, eventId)
    }
  }
})

/** Creates the event that "done" records, with the permissions of the caller. */
function recordAnswer(
  call: Call,
  reminder: StoredReminder,
  { due, time }: Pick<Static<typeof Params>, 'due' | 'time'>,
  eventId: string
): object {
  const { id, streamId, zone, event } = reminder
  if (typeof time === 'number' && Math.abs(time - due) > maxDistance)
    refuseParams([{ code: 'INVALID', message: 'must be within 7 days of due', path: '#/time' }])
  return runUninterrupted(createEvent, call, {
    id: eventId,
    streamIds: [streamId],
    type: event.type,
    ...(event.content !== undefined && { content: event.content }),
    ...(typeof time === 'number' && { time }),
    clientData: { [reminderKey]: { id, due }, [zoneKey]: zone }
  })
}
