/** `connections.get`: lists connections, and what can be connected. (docs/api/connections.md) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { PublicConnection, toPublicConnection } from '../../connections/connection.js'

/** Returns all connections, the newest first, and the dialects that the service understands. */
export const get = method({
  id: 'connections.get',
  summary: 'List connections',
  params: Type.Object({}, closed),
  result: Type.Object({
    connections: Type.Array(PublicConnection),
    /** `name`: the name of the app or protocol. */
    dialects: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }))
  }),
  mode: 'read',
  allow: personalOnly,
  run(call) {
    const all = [...call.store.connections.list()].map(stored => toPublicConnection(call, stored))
    // Ids sort in the order of creation.
    return {
      connections: all.toSorted((a, b) => (a.id < b.id ? 1 : -1)),
      dialects: Array.from(call.services.dialects.values(), ({ id, name }) => ({ id, name }))
    }
  }
})
