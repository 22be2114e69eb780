/** `identities.delete`: unlinks an identity. Beyond the specification. (docs/spec/identities.md#unlinking) */
import { Type } from 'typebox'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { unlinkIdentity } from '../../identities/identities.js'

/** Sessions stay open. Tells the user by mail. The last way to sign in cannot be taken away. */
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
