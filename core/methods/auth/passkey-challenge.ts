/** `auth.passkeyChallenge`: what a browser needs to sign a user in with a passkey. (docs/spec/passkeys.md#signing-in) */
import { Type } from 'typebox'
import { AppId } from '../../../schemas/account.js'
import { RequestOptions } from '../../../schemas/passkey.js'
import { closed } from '../../../schemas/scalars.js'
import { trustedApp } from '../../auth/allow.js'
import { serviceMethod } from '../../call/method.js'
import { signInPurpose } from '../../sign-in/passkeys/challenges.js'
import { createRequestOptions } from '../../sign-in/passkeys/options.js'

/**
 * Returns the options for any caller, without naming an account: the passkey that signs identifies it. Nothing is
 * stored.
 */
export const passkeyChallenge = serviceMethod({
  id: 'auth.passkeyChallenge',
  summary: 'Start signing in with a passkey',
  params: Type.Object({ appId: AppId }, closed),
  result: Type.Object({ request: RequestOptions }),
  allow: trustedApp,
  run: ({ services, now }) => ({ request: createRequestOptions(services, signInPurpose, now) })
})
