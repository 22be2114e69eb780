/** `connections.getOne`: returns one connection. (docs/api/connections.md) */
import { Type } from 'typebox'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { PublicConnection, requireConnection, toPublicConnection } from '../../connections/connection.js'

/** Returns a connection, and what has arrived from it. */
export const getOne = method({
  id: 'connections.getOne',
  summary: 'Get a connection',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Object({ connection: PublicConnection }),
  mode: 'read',
  allow: personalOnly,
  run: (call, { id }) => ({ connection: toPublicConnection(call, requireConnection(call, id)) })
})
