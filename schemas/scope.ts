/** A part of the changes that a listener wants to hear of, beyond the API's own messages. (docs/spec/notifications.md#scopes) */
import { Type, type Static } from 'typebox'
import { closed, Identifier } from './scalars.js'

/** What is listened to: a kind of changes, and for events and streams the streams of interest with all below them. */
export const Scope = Type.Object(
  {
    kind: Type.Enum(['events', 'streams', 'accesses']),
    query: Type.Optional(
      Type.Object({ streams: Type.Optional(Type.Array(Identifier, { minItems: 1, maxItems: 1000 })) }, closed)
    )
  },
  closed
)
export type Scope = Static<typeof Scope>

/** The listener's own name of a scope: what it is told when something in it changes. */
export const ScopeKey = Type.String({ minLength: 1, maxLength: 255 })

/** Scopes by key. */
export const Scopes = Type.Record(ScopeKey, Scope)
export type Scopes = Static<typeof Scopes>
