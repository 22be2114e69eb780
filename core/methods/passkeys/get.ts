/** `passkeys.get`: the passkeys of the user. (docs/spec/passkeys.md#methods) */
import { Type } from 'typebox'
import { Passkey } from '../../../schemas/passkey.js'
import { closed } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { toPublicPasskey } from '../../sign-in/passkeys/public-passkey.js'
import { countSignInMethods } from '../../sign-in/sign-in-methods.js'

/** Returns them in the order in which they were added, and whether there is a password to prove oneself by. */
export const get = method({
  id: 'passkeys.get',
  summary: 'List the passkeys of the user',
  params: Type.Object({}, closed),
  result: Type.Object({ passkeys: Type.Array(Passkey), hasPassword: Type.Boolean() }),
  mode: 'read',
  allow: personalOnly,
  run({ services, store }) {
    const { password } = countSignInMethods(services.config, store)
    return { passkeys: store.passkeys.list().map(toPublicPasskey), hasPassword: password > 0 }
  }
})
