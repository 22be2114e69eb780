/** `mfa.challenge`: sends a code with which to prove the second factor. (docs/spec/mfa.md#methods) */
import { Type } from 'typebox'
import { KeyValue } from '../../../schemas/scalars.js'
import { anyone } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { sendChallenge } from '../../sign-in/mfa/challenge.js'
import { getCandidate, requireMfaSession } from '../../sign-in/mfa/sessions.js'

/**
 * Sends a code for the sign-in or activation whose token is presented, and returns the message for the user.
 * If an authenticator app makes the codes, nothing is sent.
 */
export const challenge = method({
  id: 'mfa.challenge',
  summary: 'Resend a code',
  params: KeyValue,
  result: Type.Object({ message: Type.String() }),
  mode: 'read',
  isAllowedWhileClosing: true,
  allow: anyone,
  auditActor: 'valid-password',
  async prepare(call) {
    return await sendChallenge(call.services, call.account, getCandidate(call, requireMfaSession(call)))
  },
  run: (_call, _params, message) => ({ message })
})
