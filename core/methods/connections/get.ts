/** `connections.get`: lists connections, and what can be connected. (docs/api/connections.md) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { method, type Call } from '../../call/method.js'
import type { Reader } from '../../call/reader.js'
import { PublicConnection, toPublicConnection } from '../../connections/connection.js'
import type { Listing } from '../../json/json-text.js'

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
  run: call => ({
    connections: listConnections(call),
    dialects: Array.from(call.services.dialects.values(), ({ id, name }) => ({ id, name }))
  })
})

function listConnections(call: Call): Listing<Reader> {
  let last: string | undefined
  return {
    next({ store }) {
      const { connections, isLast } = store.connections.listAfter(last)
      last = connections.at(-1)?.connection.id
      const texts = connections.map(each => JSON.stringify(toPublicConnection(call, each)))
      return { text: texts.join(','), count: texts.length, done: isLast }
    }
  }
}
