/** `connections.get`: lists connections. (docs/api/connections.md) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { PublicConnection, toPublicConnection } from '../../connections/connection.js'

/** Returns all connections, the newest first. */
export const get = method({
  id: 'connections.get',
  summary: 'List connections',
  params: Type.Object({}, closed),
  result: Type.Object({ connections: Type.Array(PublicConnection) }),
  mode: 'read',
  allow: personalOnly,
  run(call) {
    const all = [...call.store.connections.list()].map(stored => toPublicConnection(call, stored))
    // Ids sort in the order of creation.
    return { connections: all.toSorted((a, b) => (a.id < b.id ? 1 : -1)) }
  }
})
