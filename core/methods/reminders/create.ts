/** `reminders.create`: adds a reminder. (docs/api/reminders.md) */
import { Type } from 'typebox'
import { Reminder, reminderFields } from '../../../schemas/plans/reminder.js'
import { closed, Identifier, orNull } from '../../../schemas/scalars.js'
import { anyAccess } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { insertReminder } from '../../forms/insert-reminder.js'
import { toReminder } from '../../reminders/occurrences.js'
import { assertForm, assertOwnChannels, checkRecording } from '../../reminders/rules.js'
import { omitNulls } from '../../validation/omit-nulls.js'

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
    const given = omitNulls(params)
    const recorded = checkRecording(call, given)
    assertOwnChannels(call, given.channelIds ?? [])
    assertForm(call, given)
    return { reminder: toReminder(insertReminder(call, { ...given, event: recorded })) }
  }
})
