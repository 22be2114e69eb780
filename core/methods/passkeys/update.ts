/** `passkeys.update`: renames a passkey. (docs/spec/passkeys.md#methods) */
import { Type } from 'typebox'
import { Passkey, PasskeyName } from '../../../schemas/passkey.js'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { requirePasskey, toPublicPasskey } from '../../sign-in/passkeys/public-passkey.js'

/** Returns the passkey under its new name; without a name, unchanged. Nothing else can be changed. */
export const update = method({
  id: 'passkeys.update',
  summary: 'Rename a passkey',
  params: Type.Object(
    { id: Identifier, update: Type.Object({ name: Type.Optional(PasskeyName) }, closed) },
    closed
  ),
  result: Type.Object({ passkey: Passkey }),
  mode: 'write',
  allow: personalOnly,
  run({ store }, { id, update: given }) {
    const before = requirePasskey(store, id)
    const name = given.name?.trim() || before.name
    store.passkeys.rename(id, name)
    return { passkey: toPublicPasskey({ ...before, name }) }
  }
})
