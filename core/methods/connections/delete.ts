/** `connections.delete`: ends a connection. (docs/api/connections.md) */
import { Type } from 'typebox'
import { closed, Identifier, ItemDeletion } from '../../../schemas/scalars.js'
import { endConnection, revokeInSteps } from '../../accesses/revoke-access.js'
import { personalOnly } from '../../auth/allow.js'
import { methodInSteps } from '../../call/method.js'
import { requireConnection } from '../../connections/connection.js'

/** Returns the deletion. The connection's token is revoked; its data stays. */
export const deleteConnection = methodInSteps({
  id: 'connections.delete',
  summary: 'End a connection',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Object({ connectionDeletion: ItemDeletion }),
  mode: 'write',
  mayExceedQuota: true,
  allow: personalOnly,
  *run(call, { id }) {
    const { accessId } = requireConnection(call, id).connection
    const access = call.store.accesses.find(accessId)
    if (access) yield* revokeInSteps(call, access)
    endConnection(call.store, accessId)
    return { connectionDeletion: { id, deleted: call.now } }
  },
  // Found out while it runs.
  isLong: () => false
})
