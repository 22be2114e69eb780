/** `auth.passkeyLogin`: a personal token for the signature of a passkey. (docs/spec/passkeys.md#signing-in) */
import { Type, type Static } from 'typebox'
import { AppId } from '../../../schemas/account.js'
import { Assertion } from '../../../schemas/passkey.js'
import { closed } from '../../../schemas/scalars.js'
import { trustedApp } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { SignedIn, toSignedInFacts, signIn } from '../../sign-in/signed-in.js'
import { signInPurpose } from '../../sign-in/passkeys/challenges.js'
import { parseUserHandle } from '../../sign-in/passkeys/options.js'
import {
  verifyPasskeySignature,
  recordPasskeyUse,
  refuseUnknownAccount
} from '../../sign-in/passkeys/signature.js'

const Result = Type.Object({ username: Type.String(), ...SignedIn.properties })

/**
 * Signs in the passkey's owner, with the same result as `auth.login`. No second factor is required: the authenticator
 * has verified the user, so a passkey is more than one factor. Unknown accounts, unknown passkeys and wrong signatures
 * get the same error after the same work.
 */
export const passkeyLogin = method({
  id: 'auth.passkeyLogin',
  summary: 'Sign in with a passkey',
  params: Type.Object({ credential: Assertion, appId: AppId }, closed),
  result: Result,
  mode: 'write',
  isAllowedWhileClosing: true,
  mayExceedQuota: true,
  allow: trustedApp,
  facts: ({ username, ...result }: Static<typeof Result>) => toSignedInFacts(result, username),
  auditActor: 'valid-passkey',
  findUsername({ platform }, params) {
    const { credential } = params as { credential?: { response?: { userHandle?: unknown } } }
    const handle = credential?.response?.userHandle
    return typeof handle === 'string'
      ? platform.accountStatuses.find(parseUserHandle(handle))?.username
      : undefined
  },
  prepare: async (call, { credential }) => await verifyPasskeySignature(call, signInPurpose, credential),
  run(call, { appId }, proven) {
    recordPasskeyUse(call, proven)
    return { username: call.account.username, ...signIn(call, appId) }
  },
  handleUnknownUser: async (call, _username, { credential }) =>
    await refuseUnknownAccount(call, signInPurpose, credential)
})
