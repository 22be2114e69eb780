/** Connections: apps and devices that send data on their own. (docs/api/connections.md) */
import { Type, type Static } from 'typebox'
import { digestSecret } from './secret-digest.js'
import { ReceivedMappings } from './received-mapping.js'
import { Identifier, Timestamp, tracking } from './scalars.js'

/** Another user of the service, and the token of an access that they share. */
const Friend = Type.Object({ username: Type.String(), token: Type.String() })
export type Friend = Static<typeof Friend>

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
  /** How fields become events, for the dialect `json`. */
  mapping: Type.Optional(ReceivedMappings),
  /** Links with which others share their position with the user, for apps that show friends. */
  friends: Type.Optional(Type.Array(Friend)),
  /** Key in the platform's index of secrets, for apps that do not name the user. */
  secretKey: Type.Optional(Type.String()),
  ...tracking
})
export type Connection = Static<typeof Connection>

/** The key in the client data of the access of a connection: its id. Only the service sets it. */
export const connectionKey = 'coffer:connection'

/** The field name of the secrets of connections among unique values. No account field has a name with a space. */
export const connectionField = 'connection secret'

/** Returns the form of a connection's token in the index: a digest, so that neither it nor the time of a look-up reveals anything. */
export function toSecretKey(token: string): string {
  return digestSecret(`${connectionField}\n${token}`)
}

/** What has arrived from a connection. */
export const Arrivals = Type.Object({
  /** Seconds; `null` if nothing has arrived yet. */
  lastHeard: Type.Union([Timestamp, Type.Null()]),
  /** Number of received items: entries of arrays; a night or a workout is one. */
  received: Type.Integer({ minimum: 0 }),
  /** Numbers of items that were not stored, by the name of their kind. */
  notUnderstood: Type.Record(Type.String(), Type.Integer({ minimum: 0 })),
  /** Bodies that wait for a mapping, oldest first, each with the time of its arrival. */
  waiting: Type.Array(Type.Object({ time: Timestamp, body: Type.Unknown() })),
  /** The last request that failed. */
  lastProblem: Type.Union([
    Type.Object({
      time: Timestamp,
      /** Id of the error that the app got. */
      id: Type.Optional(Type.String()),
      message: Type.String()
    }),
    Type.Null()
  ])
})
export type WaitingBody = Static<typeof Arrivals>['waiting'][number]
export type Arrivals = Static<typeof Arrivals>
