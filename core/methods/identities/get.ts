/** `identities.get`: the identities with which the user signs in. Beyond the specification. (docs/spec/identities.md#methods) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { PublicIdentity, toPublicIdentity } from '../../identities/identities.js'
import { countAllSignInMethods } from '../../sign-in/sign-in-methods.js'

/** Returns the identities, oldest first, and whether there is a password, which a new one replaces only if it is known. */
export const get = method({
  id: 'identities.get',
  summary: 'List the linked identities of the user',
  params: Type.Object({}, closed),
  result: Type.Object({
    identities: Type.Array(PublicIdentity),
    hasPassword: Type.Boolean(),
    /** Whether one more way in remains when one is taken away. */
    isSpare: Type.Boolean()
  }),
  mode: 'read',
  allow: personalOnly,
  run({ services: { config }, store }) {
    return {
      identities: store.identities.list().map(identity => toPublicIdentity(config, identity)),
      hasPassword: store.account.password() !== undefined,
      isSpare: countAllSignInMethods(config, store) > 1
    }
  }
})
