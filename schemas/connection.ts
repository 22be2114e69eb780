/** Connections: apps and devices that send data on their own. (docs/api/connections.md) */
import { Type, type Static } from 'typebox'
import { Identifier, Timestamp, tracking } from './scalars.js'

/** A connection as stored. */
export const Connection = Type.Object({
  id: Identifier,
  /** Id of the dialect that the app speaks. */
  dialect: Type.String(),
  name: Type.String(),
  /** The access whose token the app sends. */
  accessId: Identifier,
  /** The stream below which its data is stored; `null` for the root. */
  parentId: Type.Union([Identifier, Type.Null()]),
  /** The stream that holds its data. */
  streamId: Identifier,
  /** Whether data on sexual and reproductive health is stored. */
  sensitive: Type.Boolean(),
  /** Passphrase of encrypted payloads. */
  passphrase: Type.Optional(Type.String()),
  ...tracking
})
export type Connection = Static<typeof Connection>

/** What has arrived from a connection. */
export const Arrivals = Type.Object({
  /** Seconds; `null` if nothing has arrived yet. */
  lastHeard: Type.Union([Timestamp, Type.Null()]),
  /** Number of received items: entries of arrays; a night or a workout is one. */
  received: Type.Integer({ minimum: 0 }),
  /** Numbers of items that were not stored, by the name of their kind. */
  notUnderstood: Type.Record(Type.String(), Type.Integer({ minimum: 0 })),
  /** The last request that failed. */
  lastProblem: Type.Union([Type.Object({ time: Timestamp, message: Type.String() }), Type.Null()])
})
export type Arrivals = Static<typeof Arrivals>
