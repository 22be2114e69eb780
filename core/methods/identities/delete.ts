/** `identities.delete`: unlinks an identity. Not part of the original API. (docs/spec/identities.md#unlinking) */
import { Type } from 'typebox'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { unlinkIdentity } from '../../identities/identities.js'

/** Unlinks an identity and notifies the user by mail. Sessions stay open. The last sign-in method cannot be removed. */
export const remove = method({
  id: 'identities.delete',
  summary: 'Unlink an identity',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Object({ identityDeletion: Type.Object({ id: Identifier }) }),
  mode: 'write',
  mayExceedQuota: true,
  allow: personalOnly,
  run(call, { id }) {
    unlinkIdentity(call, id)
    return { identityDeletion: { id } }
  }
})
