/**
 * `identities.get`: the identities with which the user signs in. Not part of the original API.
 * (docs/spec/identities.md#methods)
 */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { PublicIdentity, toPublicIdentity } from '../../identities/identities.js'
import { countAllSignInMethods } from '../../sign-in/sign-in-methods.js'

/** Returns the identities, oldest first, and whether there is a password, which has to be given to set a new one. */
export const get = method({
  id: 'identities.get',
  summary: 'List the linked identities of the user',
  params: Type.Object({}, closed),
  result: Type.Object({
    identities: Type.Array(PublicIdentity),
    hasPassword: Type.Boolean(),
    /** Whether a sign-in method remains if one of the identities is removed. */
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
