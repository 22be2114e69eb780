/** How fields of any JSON become events: the mapping of a connection of the dialect `json`. (docs/api/connections.md) */
import { Type, type Static } from 'typebox'

/** A JSON pointer (RFC 6901): empty for the whole value. */
const Pointer = Type.String({ pattern: '^(?:/(?:[^~/]|~[01])*)*$', maxLength: 500 })
const Name = Type.String({ minLength: 1, maxLength: 100 })

/** What one value means. All pointers but `items` start at an item. */
export const ReceivedMapping = Type.Object(
  {
    /** The list of items, or the only item; by default the whole body. */
    items: Type.Optional(Pointer),
    /** The content of the event. */
    value: Pointer,
    /** The members of a content that is an object, each with a pointer from the value to its number: `{latitude: "/lat"}`. */
    fields: Type.Optional(
      Type.Record(Type.String({ pattern: '^[a-zA-Z][a-zA-Z0-9]{0,63}$' }), Pointer, {
        minProperties: 1,
        maxProperties: 20,
        additionalProperties: false
      })
    ),
    /** The time of the event, as text or as seconds, milli-, micro- or nanoseconds; by default the time of the arrival. */
    time: Type.Optional(Pointer),
    /** The end of the event. */
    end: Type.Optional(Pointer),
    /** The duration of the event, in seconds. */
    duration: Type.Optional(Pointer),
    /** Time zone of times without an offset: an IANA name. */
    zone: Type.Optional(Name),
    /** Type of the event. */
    type: Type.String({ pattern: '^[a-z0-9-]+/[a-z0-9-]+$', maxLength: 100 }),
    /** Id of the measure, which has this type: the stream is marked with it. */
    measure: Type.Optional(Type.String({ pattern: '^[a-z0-9-]+$', maxLength: 64 })),
    /** Name of the stream; by default the name of the field. */
    stream: Type.Optional(Name),
    /** Unit of the value, or a pointer to it, where it differs from that of the type. */
    unit: Type.Optional(Name),
    /** The device that measured the value; by default the name of the connection. */
    source: Type.Optional(Pointer),
    description: Type.Optional(Pointer)
  },
  { additionalProperties: false }
)
export type ReceivedMapping = Static<typeof ReceivedMapping>

/** One value, or several of each item. */
export const ReceivedMappings = Type.Union([
  ReceivedMapping,
  Type.Array(ReceivedMapping, { minItems: 1, maxItems: 50 })
])
export type ReceivedMappings = Static<typeof ReceivedMappings>
