/** Reminders: what is due at certain times, and what was done. (docs/api/reminders.md) */
import { Type, type Static } from 'typebox'
import { closed, Identifier, Timestamp, tracking } from '../scalars.js'
import { EventType } from '../event.js'

/** A local time of day. */
const LocalTime = Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' })
/** A local date from 1970 to 2199. */
export const ReminderDate = Type.String({
  pattern: '^(19[7-9][0-9]|2[01][0-9]{2})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$'
})

/** When a reminder is due, by the clock in its zone. */
export const Schedule = Type.Object(
  {
    times: Type.Array(LocalTime, { minItems: 1, maxItems: 24 }),
    /** Days of the week: 1 is Monday, 7 is Sunday. */
    days: Type.Optional(Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), { minItems: 1, maxItems: 7 })),
    /** Every so many days, beginning with `startsOn`. */
    everyDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 366 })),
    startsOn: Type.Optional(ReminderDate),
    /** First and last day, both included. */
    from: Type.Optional(ReminderDate),
    until: Type.Optional(ReminderDate)
  },
  closed
)
export type Schedule = Static<typeof Schedule>

/** What "done" records. */
const ReminderEvent = Type.Object({ type: EventType, content: Type.Optional(Type.Unknown()) }, closed)

/** The fields that clients set. */
export const reminderFields = {
  name: Type.String({ minLength: 1, maxLength: 200 }),
  kind: Type.Enum(['medication', 'habit', 'form']),
  schedule: Schedule,
  /** Name of the time zone in which the schedule applies. */
  zone: Type.String({ minLength: 1, maxLength: 64 }),
  /** Where "done" is recorded. */
  streamId: Identifier,
  event: ReminderEvent,
  channelIds: Type.Array(Identifier, { maxItems: 10 }),
  urgency: Type.Enum(['low', 'normal', 'high']),
  /** Seconds after which the user is notified again without an answer. */
  repeatAfter: Type.Integer({ minimum: 60, maximum: 86_400 }),
  /** How often. */
  repeats: Type.Integer({ minimum: 0, maximum: 5 }),
  isActive: Type.Boolean(),
  /** Whether notifications contain the name. */
  showsName: Type.Boolean()
} as const

/** A reminder as stored. */
export const StoredReminder = Type.Object(
  {
    id: Identifier,
    ...reminderFields,
    /** The form to answer, for reminders of kind `form`. */
    formId: Type.Optional(Identifier),
    /** The access that created it. */
    accessId: Identifier,
    ...tracking
  },
  closed
)
export type StoredReminder = Static<typeof StoredReminder>

/** A reminder as shown. */
export const Reminder = Type.Object(
  {
    ...StoredReminder.properties,
    /** When the reminder is next due by its schedule. */
    next: Type.Optional(Timestamp)
  },
  closed
)
export type Reminder = Static<typeof Reminder>

/** `later`: due again at `again`. `upcoming`: not due yet. */
const OccurrenceState = Type.Enum(['open', 'later', 'done', 'skipped', 'upcoming'])

/** A time at which a reminder is due. */
export const Occurrence = Type.Object(
  {
    reminderId: Identifier,
    due: Timestamp,
    /** The date in the zone of the reminder. */
    day: Type.String(),
    state: OccurrenceState,
    answered: Type.Optional(Timestamp),
    again: Type.Optional(Timestamp),
    /** The event that "done" has created. */
    eventId: Type.Optional(Identifier)
  },
  closed
)
export type Occurrence = Static<typeof Occurrence>
