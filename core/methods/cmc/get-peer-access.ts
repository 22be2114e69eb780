/** `cmc.getPeerAccess`: what another account lets this one do. (docs/spec/consent.md#reading-an-offer) */
import { Type } from 'typebox'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { PeerUnavailable, refusePeerUnavailable } from '../../cmc/failures.js'
import { fail } from '../../errors.js'

/**
 * Returns the permissions of the access that a peer has given, as the peer's server states them now. Throws
 * `unknown-resource` if the holder of the access has granted nothing.
 */
export const getPeerAccess = method({
  id: 'cmc.getPeerAccess',
  summary: 'Get what another account has granted',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Object({
    peerAccess: Type.Object({
      /** Whether the access has been revoked, or has expired. */
      hasEnded: Type.Boolean(),
      permissions: Type.Array(
        Type.Object({ streamId: Type.String(), level: Type.String(), name: Type.String() })
      ),
      expires: Type.Optional(Type.Number())
    })
  }),
  mode: 'read',
  allow: personalOnly,
  isRemoved: config => !config.cmc.enabled,
  async prepare(call, { id }) {
    try {
      const peerAccess = await call.services.readPeerAccess(call, id)
      return (
        peerAccess ??
        fail('unknown-resource', `No account that holds the access "${id}" has granted anything`)
      )
    } catch (error) {
      if (error instanceof PeerUnavailable) refusePeerUnavailable()
      throw error
    }
  },
  run: (_call, _params, peerAccess) => ({ peerAccess })
})
