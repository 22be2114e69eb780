/** Scopes: the parts of the changes that a client subscribes to, beyond the API's own messages. (docs/spec/notifications.md#scopes) */
import { Type, type Static } from 'typebox'
import { AccessType } from './access.js'
import { EventStates, EventTypes } from './event.js'
import { closed, Identifier } from './scalars.js'

/** Streams of interest, with all below them. */
const streams = Type.Array(Identifier, { minItems: 1, maxItems: 1000 })

/** A scope by its kind. All parts of its query have to hold. */
export const scopesByKind = {
  events: Type.Object(
    {
      kind: Type.Optional(Type.Literal('events')),
      query: Type.Optional(
        Type.Object(
          {
            /** Any form of the `streams` of `events.get`. (docs/spec/streams-queries.md) */
            streams: Type.Optional(Type.Unknown()),
            types: Type.Optional(EventTypes),
            /** Conditions, as of `events.get`. */
            content: Type.Optional(Type.Unknown()),
            clientData: Type.Optional(Type.Unknown()),
            state: Type.Optional(EventStates)
          },
          closed
        )
      )
    },
    closed
  ),
  streams: Type.Object(
    {
      kind: Type.Literal('streams'),
      query: Type.Optional(Type.Object({ streams: Type.Optional(streams) }, closed))
    },
    closed
  ),
  accesses: Type.Object(
    {
      kind: Type.Literal('accesses'),
      query: Type.Optional(
        Type.Object(
          {
            streams: Type.Optional(streams),
            types: Type.Optional(Type.Array(AccessType, { minItems: 1, maxItems: 10_000 })),
            accessIds: Type.Optional(Type.Array(Identifier, { minItems: 1, maxItems: 1000 }))
          },
          closed
        )
      )
    },
    closed
  )
}

/** A kind of changes, `events` if it is absent, and which of them. */
export const Scope = Type.Union([scopesByKind.events, scopesByKind.streams, scopesByKind.accesses])
export type Scope = Static<typeof Scope>
export type EventScope = Static<typeof scopesByKind.events>
export type AccessScope = Static<typeof scopesByKind.accesses>

/** The client's own name of a scope, which notifications of changes in that scope contain. */
export const ScopeKey = Type.String({ minLength: 1, maxLength: 255 })

/** Scopes by key. */
export const Scopes = Type.Record(ScopeKey, Scope)
export type Scopes = Static<typeof Scopes>
