/** The fields of events that clients may write. (docs/spec/events.md#fields) */
import { Type, type Static } from 'typebox'
import { EventType } from '../../schemas/event.js'
import { closed, Identifier, KeyValue, orNull, Timestamp } from '../../schemas/scalars.js'
import { fail } from '../errors.js'
import { acceptProtectedFields, trackingFields } from '../validation/protected-fields.js'

/** Tags of an event. Their number is limited, as each may create a stream. (docs/spec/events.md#tags) */
export const Tags = Type.Array(Type.String({ maxLength: 500 }), { maxItems: 1000 })

/**
 * The fields that clients may set; `null` unsets an optional field; as a `duration` it means that the event is ongoing.
 */
export const writableFields = {
  streamIds: orNull(Type.Array(Identifier, { minItems: 1, maxItems: 10_000 })),
  streamId: orNull(Identifier),
  time: orNull(Timestamp),
  duration: orNull(Type.Number({ minimum: 0 })),
  content: Type.Optional(Type.Unknown()),
  tags: orNull(Tags),
  description: orNull(Type.String()),
  clientData: orNull(KeyValue),
  trashed: orNull(Type.Boolean())
}

/** The fields of an event that only the service sets, besides its id. */
export const readOnlyFields = [...trackingFields, 'integrity', 'attachments'] as const

/** An update of an event. Read-only fields pass the schema, so that they are refused with a more precise error. */
export const EventUpdate = Type.Object(
  { ...writableFields, type: Type.Optional(EventType), ...acceptProtectedFields(['id', ...readOnlyFields]) },
  closed
)
export type EventUpdate = Static<typeof EventUpdate>

const seriesPrefix = 'series:'

/** Returns whether events of a type hold a high-frequency series. */
export function isSeries(type: string): boolean {
  return type.startsWith(seriesPrefix)
}

/**
 * Returns the ids of streams that a request names, without duplicates; `undefined` if it names none. Throws
 * `invalid-operation` if the request has both `streamId` and `streamIds`.
 */
export function getNamedStreams({
  streamId,
  streamIds
}: Pick<EventUpdate, 'streamId' | 'streamIds'>): string[] | undefined {
  if (isGiven(streamId) && isGiven(streamIds))
    fail('invalid-operation', 'Send either "streamIds" or the deprecated "streamId", not both')
  if (isGiven(streamIds)) return [...new Set(streamIds)]
  return isGiven(streamId) ? [streamId] : undefined
}

/** Returns whether a field has a value: `null` stands for none. (docs/spec/conventions.md#null-and-missing-fields) */
export function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined
}
