/** An event: one time-stamped datum. (docs/spec/events.md#fields) */
import { Type, type Static } from 'typebox'
import { Identifier, KeyValue, Timestamp, tracking } from './scalars.js'

/** `{class}/{format}`; holders of high-frequency series begin with `series:`. */
export const EventType = Type.String({ pattern: '^(series:)?[a-z0-9-]+/[a-z0-9-]+$', maxLength: 256 })

/** A file of an event. `size` in bytes. */
export const Attachment = Type.Object({
  id: Identifier,
  fileName: Type.String(),
  type: Type.String(),
  size: Type.Number(),
  readToken: Type.Optional(Type.String()),
  integrity: Type.Optional(Type.String())
})
export type Attachment = Static<typeof Attachment>

/** An event as the API shows it. A `duration` of `null` means that it is still running. */
export const Event = Type.Object({
  id: Identifier,
  streamIds: Type.Array(Identifier, { minItems: 1 }),
  streamId: Identifier,
  time: Timestamp,
  duration: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
  type: EventType,
  content: Type.Optional(Type.Unknown()),
  /** Absent only where tags are switched off. */
  tags: Type.Optional(Type.Array(Type.String())),
  description: Type.Optional(Type.String()),
  attachments: Type.Optional(Type.Array(Attachment)),
  clientData: Type.Optional(KeyValue),
  trashed: Type.Optional(Type.Boolean()),
  integrity: Type.Optional(Type.String()),
  ...tracking
})
export type Event = Static<typeof Event>

/** Event types, or whole classes of types: `mass/kg`, `mass/*`. */
export const EventTypes = Type.Array(
  Type.String({ pattern: '^(series:)?[a-z0-9-]+/([a-z0-9-]+|\\*)$', maxLength: 256 }),
  { maxItems: 10_000 }
)

/** States of events by which lists and notifications select them. */
export const EventStates = Type.Enum(['default', 'trashed', 'all'])
