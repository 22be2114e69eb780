/** `mfa.verify`: completes a sign-in by proving the second factor. (docs/spec/mfa.md#signing-in) */
import { KeyValue } from '../../../schemas/scalars.js'
import { anyone } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { verifyFactor } from '../../sign-in/mfa/verify-factor.js'
import { getCandidate, requireMfaSession, requireMfaToken } from '../../sign-in/mfa/sessions.js'
import { SignedIn, toSignedInFacts, signIn } from '../../sign-in/signed-in.js'

/** Signs in, and returns the same as signing in without a second factor. The token is then used up. */
export const verify = method({
  id: 'mfa.verify',
  summary: 'Finish signing in with a code',
  params: KeyValue,
  result: SignedIn,
  facts: toSignedInFacts,
  mode: 'write',
  isAllowedWhileClosing: true,
  mayExceedQuota: true,
  allow: anyone,
  auditActor: 'valid-password',
  async prepare(call, given) {
    await verifyFactor(call, getCandidate(call, requireMfaSession(call, 'login')), given)
  },
  run(call) {
    // The session may have ended while the proof was being verified.
    const { appId, provider } = requireMfaSession(call, 'login')
    call.store.signIn.remove(requireMfaToken(call))
    return signIn(call, appId, provider)
  }
})
