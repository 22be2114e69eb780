/** The small values that resources are made of. (docs/spec/conventions.md#timestamps; docs/spec/conventions.md#identifiers) */
import { Type, type Static, type TSchema } from 'typebox'

/** Schema option that refuses unknown properties. */
export const closed = { additionalProperties: false } as const

/** Maximum length of an id, in characters. */
export const maxIdLength = 1024

/** An id of an event, a stream, an access, …: a string unique per user. */
export const Identifier = Type.String({ minLength: 1, maxLength: maxIdLength })
export type Identifier = Static<typeof Identifier>

/** Maximum length of a name, in characters. (docs/spec/limits.md#items) */
export const maxNameLength = 1024

/** A new name of a stream, an access, a device, …. Stored names may be longer: they may predate the limit. */
export const Name = Type.String({ minLength: 1, maxLength: maxNameLength })

/** Seconds since the Unix epoch. */
export const Timestamp = Type.Number()
export type Timestamp = Static<typeof Timestamp>

/** Keys and values of the client's own; `null` deletes a key on update. (docs/spec/conventions.md#client-data) */
export const KeyValue = Type.Record(Type.String(), Type.Unknown())
export type KeyValue = Static<typeof KeyValue>

/** A deletion, as stored for clients that synchronise. */
export const ItemDeletion = Type.Object({
  id: Identifier,
  deleted: Type.Optional(Timestamp),
  integrity: Type.Optional(Type.String())
})
export type ItemDeletion = Static<typeof ItemDeletion>

/** Who created and last changed an item, and when. */
export const tracking = {
  created: Timestamp,
  createdBy: Type.String(),
  modified: Timestamp,
  modifiedBy: Type.String()
}

/** An optional field of params: `null` means unset. (docs/spec/conventions.md#null-and-missing-fields) */
export const orNull = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]))
