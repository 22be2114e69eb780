/** Adds a reminder to an account. (docs/api/reminders.md) */
import type { StoredReminder } from '../../schemas/plans/reminder.js'
import type { ReminderRow } from '../../storage/reminders/reminder-repository.js'
import { assertRoom } from '../accesses/room.js'
import type { Call } from '../call/method.js'
import { createId } from '../ids.js'
import { findNextDue, readSchedule } from './schedule.js'

/** How many reminders an account can have. */
const reminderRoom = { name: 'reminders', max: 100, maxOwn: 20 }

/** What has to be given; the rest has defaults. */
type Given = Pick<StoredReminder, 'event' | 'kind' | 'name' | 'schedule' | 'streamId' | 'zone'> &
  Partial<StoredReminder>

/**
 * Adds a reminder of the caller that has been checked, and returns it. The account has to be marked for timers before. Errors:
 * `invalid-parameters-format` for the schedule, `NoRoom` if there are too many.
 */
export function insertReminder(call: Call, given: Given): ReminderRow {
  const { changes, now, store } = call
  const reminder = buildReminder(call, given)
  const creators = store.reminders.list().map(each => each.reminder.accessId)
  assertRoom(call, reminderRoom, creators)
  const row = { reminder, next: reminder.isActive ? (findNextDue(reminder, now) ?? null) : null }
  store.reminders.put(row)
  changes.add('timers')
  return row
}

/** Returns the reminder to store, with defaults: urgency `normal`, repeated after 600 seconds, 0 times. */
function buildReminder(call: Call, given: Given): StoredReminder {
  const { caller, now, store } = call
  const at = store.stamp(now)
  return {
    id: createId(),
    name: given.name,
    kind: given.kind,
    schedule: readSchedule(given.schedule),
    zone: given.zone,
    streamId: given.streamId,
    event: given.event,
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
