/**
 * `identities.begin`: the secret of a page that is about to link an identity. Not part of the original API.
 * (docs/spec/identities.md#linking)
 */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { createLinkSecret } from '../../identities/link-secrets.js'
import { requireRecentSignIn } from '../../auth/recent-sign-in.js'

/**
 * Returns a secret with which a sign-in at a provider is begun. The identity that the provider confirms can be linked
 * in this session only. Throws `invalid-operation` unless the caller has recently signed in: an identity is a sign-in
 * method that outlives the session.
 */
export const begin = method({
  id: 'identities.begin',
  summary: 'Start linking an identity',
  params: Type.Object({}, closed),
  result: Type.Object({ secret: Type.String() }),
  mode: 'write',
  mayExceedQuota: true,
  allow: personalOnly,
  run(call) {
    requireRecentSignIn(call)
    return { secret: createLinkSecret(call) }
  }
})
