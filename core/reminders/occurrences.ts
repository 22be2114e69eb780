/** Reminders, and the times at which they are due, as clients see them. */
import type { Occurrence, Reminder } from '../../schemas/plans/reminder.js'
import { formatDate, getLocalDay } from '../../schemas/zones.js'
import type { OccurrenceRow } from '../../storage/reminders/occurrence-repository.js'
import type { ReminderRow } from '../../storage/reminders/reminder-repository.js'
import type { Call } from '../call/method.js'
import { fail } from '../errors.js'
import { findNextDue, listDueTimes } from '../forms/schedule.js'

/** Seconds before and after now whose occurrences are listed; users may answer that early. */
export const nearSeconds = 86_400
/** Maximum number of coming occurrences of a reminder that are listed. */
const maxUpcoming = 24

/** Returns a reminder as shown. */
export function toReminder({ next, reminder }: ReminderRow): Reminder {
  return { ...reminder, ...(next !== null && { next }) }
}

/** Returns an occurrence as shown. */
export function toOccurrence(row: OccurrenceRow): Occurrence {
  const { answered, day, due, event, next, reminder, state } = row
  return {
    reminderId: reminder,
    due,
    day: formatDate(day),
    state,
    ...(answered !== null && state !== 'open' && { answered }),
    ...(next !== null && state === 'later' && { again: next }),
    ...(event !== null && state === 'done' && { eventId: event })
  }
}

/**
 * Lists the occurrences of a reminder from a day ago until in a day, in order of time. Those that have not
 * come yet are `upcoming`; at most 24 of them.
 */
export function listNear({ now, store }: Pick<Call, 'now' | 'store'>, row: ReminderRow): Occurrence[] {
  const { reminder } = row
  const recorded = store.occurrences.listSince(reminder.id, now - nearSeconds)
  const known = new Set(recorded.map(({ due }) => due))
  const coming = reminder.isActive
    ? listDueTimes(reminder, { after: now, until: now + nearSeconds, limit: maxUpcoming })
    : []
  return [
    ...recorded.map(toOccurrence),
    ...coming
      .filter(due => !known.has(due))
      .map((due): Occurrence => ({
        reminderId: reminder.id,
        due,
        day: formatDate(getLocalDay(reminder.zone, due).number),
        state: 'upcoming'
      }))
  ].toSorted((a, b) => a.due - b.due)
}

/** Returns an occurrence that is recorded, or about to be due; `undefined` if the reminder is not due then. */
export function findOccurrence(
  { now, store }: Pick<Call, 'now' | 'store'>,
  { reminder }: ReminderRow,
  due: number
): OccurrenceRow | undefined {
  const { id, isActive, repeats, zone } = reminder
  const recorded = store.occurrences.find(id, due)
  if (recorded) return recorded
  if (!isActive || due > now + nearSeconds || due <= now || findNextDue(reminder, due - 1) !== due)
    return undefined
  const { number: day } = getLocalDay(zone, due)
  return { reminder: id, due, day, state: 'open', answered: null, event: null, told: 0, repeats, next: due }
}

/**
 * Records that a reminder is done, by an event. Errors: `unknown-resource` if it is not due at this time,
 * `invalid-operation` if it is done already.
 */
export function completeOccurrence(
  { changes, now, store }: Pick<Call, 'changes' | 'now' | 'store'>,
  row: ReminderRow,
  { due, eventId }: { readonly due: number; readonly eventId: string }
): void {
  const before =
    findOccurrence({ now, store }, row, due) ??
    fail('unknown-resource', 'The reminder is not due at this time')
  if (before.state === 'done')
    fail('invalid-operation', 'The reminder is done already. Delete its event to answer again')
  changes.add('timers')
  store.occurrences.put({ ...before, state: 'done', answered: now, event: eventId, next: null })
}
