/** Scopes: the parts of the changes that a client subscribes to, beyond the API's own messages. (docs/spec/notifications.md#scopes) */
import { Type, type Static } from 'typebox'
import { closed, Identifier } from './scalars.js'

/** A kind of changes and, for events and streams, the streams of interest with all below them. */
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

/** The client's own name of a scope, which notifications of changes in that scope contain. */
export const ScopeKey = Type.String({ minLength: 1, maxLength: 255 })

/** Scopes by key. */
export const Scopes = Type.Record(ScopeKey, Scope)
export type Scopes = Static<typeof Scopes>
