/** `mfa.deactivate`: removes the second factor. (docs/spec/mfa.md#removing-a-factor) */
import { Type } from 'typebox'
import { proofParams } from '../../../schemas/passkey.js'
import { closed } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { requireOwner } from '../../sign-in/passkeys/owner-proof.js'
import { getFactor, removeFactor } from '../../sign-in/mfa/factor.js'
import { notifyUser } from '../../sign-in/notices/notices.js'

/**
 * Removes the factor, its recovery codes and its sessions, given a proof or a recent sign-in; does nothing if there is
 * no factor.
 */
export const deactivate = method({
  id: 'mfa.deactivate',
  summary: 'Turn off two-factor authentication',
  params: Type.Object(proofParams, closed),
  result: Type.Object({ message: Type.String() }),
  mode: 'write',
  mayExceedQuota: true,
  allow: personalOnly,
  async prepare(call, proof) {
    if (getFactor(call.store)) await requireOwner(call, proof)
  },
  run(call) {
    const { store } = call
    if (getFactor(store)) notifyUser(call, { kind: 'secondFactorOff' })
    removeFactor(store)
    return { message: 'Two-factor authentication is off' }
  }
})
