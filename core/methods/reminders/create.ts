/** `reminders.create`: adds a reminder. (docs/api/reminders.md) */
import { Type, type Static } from 'typebox'
import { Reminder, reminderFields, type StoredReminder } from '../../../schemas/plans/reminder.js'
import { closed, Identifier, orNull } from '../../../schemas/scalars.js'
import { assertRoom } from '../../accesses/room.js'
import { anyAccess } from '../../auth/allow.js'
import { method, type Call } from '../../call/method.js'
import { createId } from '../../ids.js'
import { toReminder } from '../../reminders/occurrences.js'
import { assertForm, assertOwnChannels, checkRecording } from '../../reminders/rules.js'
import { findNextDue, readSchedule } from '../../reminders/schedule.js'
import { omitNulls } from '../../validation/omit-nulls.js'

const room = { name: 'reminders', max: 100, maxOwn: 20 }

const {
  channelIds,
  event,
  isActive,
  kind,
  name,
  repeatAfter,
  repeats,
  schedule,
  showsName,
  streamId,
  urgency,
  zone
} = reminderFields

const Params = Type.Object(
  {
    name,
    kind,
    schedule,
    zone,
    streamId,
    event,
    formId: orNull(Identifier),
    channelIds: orNull(channelIds),
    urgency: orNull(urgency),
    repeatAfter: orNull(repeatAfter),
    repeats: orNull(repeats),
    isActive: orNull(isActive),
    showsName: orNull(showsName)
  },
  closed
)

/** Adds a reminder and returns it. Throws `invalid-operation` if there are too many. */
export const create = method({
  id: 'reminders.create',
  summary: 'Add a reminder',
  params: Params,
  result: Type.Object({ reminder: Reminder }),
  mode: 'write',
  allow: anyAccess,
  async prepare({ account, services }) {
    await services.timers.mark(account)
  },
  run(call, params) {
    const { changes, now, store } = call
    const reminder = buildReminder(call, params)
    const creators = store.reminders.list().map(each => each.reminder.accessId)
    assertRoom(call, room, creators)
    const next = reminder.isActive ? (findNextDue(reminder, now) ?? null) : null
    store.reminders.put({ reminder, next })
    changes.add('timers')
    return { reminder: toReminder({ reminder, next }) }
  }
})

function buildReminder(call: Call, params: Static<typeof Params>): StoredReminder {
  const { caller, now, store } = call
  const given = omitNulls(params)
  const recorded = checkRecording(call, given)
  assertOwnChannels(call, given.channelIds ?? [])
  assertForm(call, given)
  const at = store.stamp(now)
  return {
    id: createId(),
    name: given.name,
    kind: given.kind,
    schedule: readSchedule(given.schedule),
    zone: given.zone,
    streamId: given.streamId,
    event: recorded,
    ...(given.formId !== undefined && { formId: given.formId }),
    channelIds: [...new Set(given.channelIds)],
    urgency: given.urgency ?? 'normal',
    repeatAfter: given.repeatAfter ?? 600,
    repeats: given.repeats ?? 0,
    isActive: given.isActive ?? true,
    showsName: given.showsName ?? false,
    accessId: caller.accessId,
    created: at,
    createdBy: caller.signature,
    modified: at,
    modifiedBy: caller.signature
  }
}
