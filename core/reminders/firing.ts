/**
 * Tells users that reminders are due. What is due, and what was told, is stored in the transaction that queues the message, so no message
 * is sent twice, and none is lost. (docs/api/reminders.md#notifications)
 */
import type { StoredReminder } from '../../schemas/plans/reminder.js'
import { getLocalDay, getOffset } from '../../schemas/zones.js'
import type { OccurrenceRow } from '../../storage/reminders/occurrence-repository.js'
import type { ReminderRow } from '../../storage/reminders/reminder-repository.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Call } from '../call/method.js'
import type { Services } from '../call/services.js'
import { queueMessage } from '../channels/queue-message.js'
import { listOwnChannels } from '../channels/rules.js'
import { writeAsService } from '../cmc/service-calls.js'
import type { TimedTask } from '../timers/timed-task.js'
import { mayRemind } from './rules.js'
import { findNextDue } from '../forms/schedule.js'
import { getReminderTexts } from './texts.js'

/** Seconds after which it is too late to tell users of a reminder, for example after the service was down. */
const maxLateness = 7200
/** Seconds for which occurrences are recorded that were due while the service was down. */
const maxAbsence = 31 * 86_400
/** Seconds for which occurrences are kept. */
const keptSeconds = 5 * 366 * 86_400
/** Limits of one transaction. */
const [maxReminders, maxOccurrences, maxToTell] = [100, 5, 500]

/** Returns the work of telling users what is due. */
export function createReminderTask(services: Services): TimedTask {
  return {
    name: 'reminders',
    findNext: (store, { deletion }) => (deletion === null ? store.reminders.findNext() : undefined),
    run: account => writeAsService(services, account, fireReminders)
  }
}

/** Lists the reminders that are due later than their schedules say at `now` (seconds), or never: the clock was ahead. */
export function listAhead({ reminders }: Pick<UserStore, 'reminders'>, now: number): StoredReminder[] {
  return reminders
    .list()
    .filter(
      ({ next, reminder }) =>
        reminder.isActive && (findNextDue(reminder, now) ?? Infinity) < (next ?? Infinity)
    )
    .map(({ reminder }) => reminder)
}

/**
 * Plans a reminder afresh. What came due a while ago is sent as well, since the clock may have been set back before that. What was told
 * stays recorded, so it is not told again.
 */
export function planAgain(
  { occurrences, reminders }: UserStore,
  reminder: StoredReminder,
  now: number
): void {
  const { id, modified } = reminder
  const after = Math.max(now - maxLateness, modified <= now ? modified : 0)
  occurrences.removeUntold(id, after)
  reminders.setNext(id, findNextDue(reminder, after) ?? null)
}

/** Records what has become due, and queues messages for the user. */
function fireReminders(call: Call): void {
  const { changes, now, store } = call
  changes.add('timers')
  for (const row of store.reminders.listDue(now, maxReminders)) recordDue(call, row)
  for (const row of store.occurrences.listToTell(now, maxToTell)) tell(call, row)
}

/**
 * Records the times at which a reminder was due, some at a time, and when it is due next. Those that are not
 * in force are passed over; occurrences that are too old are removed.
 */
function recordDue({ now, store }: Call, { next, reminder }: ReminderRow): void {
  const { id, repeats, zone } = reminder
  const may = mayRemind({ now, store }, reminder)
  let due = next ?? undefined
  if (due !== undefined && due < now - maxAbsence) due = findNextDue(reminder, now - maxAbsence)
  for (let count = 0; due !== undefined && due <= now && count < maxOccurrences; count++) {
    if (may) {
      const { number: day } = getLocalDay(zone, due)
      store.occurrences.silenceBefore(id, due)
      store.occurrences.add({ reminder: id, due, day, repeats, next: due < now - maxLateness ? null : due })
    }
    due = findNextDue(reminder, due)
  }
  store.occurrences.removeBefore(id, now - keptSeconds)
  store.reminders.setNext(id, due ?? null)
}

/**
 * Queues a message about an occurrence, and plans to repeat it. Does not if that is too late, or the reminder
 * is done or not in force.
 */
function tell(call: Call, row: OccurrenceRow): void {
  const { now, store } = call
  const { next, repeats, told } = row
  const { reminder } = store.reminders.find(row.reminder) ?? {}
  const isInTime = next !== null && next >= now - maxLateness
  if (!reminder?.isActive || !isInTime || row.state === 'done' || !mayRemind(call, reminder)) {
    store.occurrences.put({ ...row, next: null })
    return
  }
  queueMessage(call, {
    ...createMessage(call, reminder, row.due),
    key: `reminder:${row.reminder}:${row.due}:${told}`
  })
  store.occurrences.put({
    ...row,
    state: 'open',
    told: told + 1,
    repeats: Math.max(0, repeats - 1),
    next: repeats > 0 ? now + reminder.repeatAfter : null
  })
}

/** Creates the message without its key. It tells the name only if the user has chosen so. */
function createMessage({ store }: Call, reminder: StoredReminder, due: number) {
  const { id, name, showsName, urgency, zone } = reminder
  const texts = getReminderTexts(store)
  const page = `today?reminder=${encodeURIComponent(id)}&due=${due}`
  return {
    // An archive may say otherwise.
    channelIds: listOwnChannels({ store }, reminder),
    title: showsName ? name : texts.due,
    text: texts.at(formatTime(zone, due)),
    urgency,
    page,
    actions: (['done', 'later', 'skip'] as const).map(action => ({
      id: action,
      title: texts[action],
      page: `${page}&answer=${action}`
    })),
    source: { kind: 'reminder', id }
  } as const
}

/** Formats the local time of an instant, as `08:00`. */
function formatTime(zone: string, time: number): string {
  return new Date((time + getOffset(zone, time)) * 1000).toISOString().slice(11, 16)
}
