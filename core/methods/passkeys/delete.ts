/** `passkeys.delete`: deletes a passkey. (docs/spec/passkeys.md#the-last-sign-in-method) */
import { Type } from 'typebox'
import { closed, Identifier, ItemDeletion } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { notifyUser } from '../../sign-in/notices/notices.js'
import { requirePasskey } from '../../sign-in/passkeys/public-passkey.js'
import { assertSignInPossible } from '../../sign-in/sign-in-methods.js'

/**
 * Deletes a passkey; sessions stay open. Notifies the user by mail. Throws `invalid-operation` for the last sign-in
 * method.
 */
export const deletePasskey = method({
  id: 'passkeys.delete',
  summary: 'Remove a passkey',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Object({ passkeyDeletion: ItemDeletion }),
  mode: 'write',
  mayExceedQuota: true,
  allow: personalOnly,
  run(call, { id }) {
    const { services, store } = call
    const { name } = requirePasskey(store, id)
    store.passkeys.remove(id)
    assertSignInPossible(services.config, store)
    notifyUser(call, { kind: 'passkeyRemoved', passkey: name })
    return { passkeyDeletion: { id } }
  }
})
