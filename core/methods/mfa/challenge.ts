/** `mfa.challenge`: sends a code to prove the second factor with. (docs/spec/mfa.md#methods) */
import { Type } from 'typebox'
import { KeyValue } from '../../../schemas/scalars.js'
import { anyone } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { sendChallenge } from '../../sign-in/mfa/challenge.js'
import { candidateOf, mfaSessionOf } from '../../sign-in/mfa/sessions.js'

/** Answers what to tell the user. Where an app of the user's makes the codes, nothing is sent. */
export const challenge = method({
  id: 'mfa.challenge',
  summary: 'Ask for a code again',
  params: KeyValue,
  result: Type.Object({ message: Type.String() }),
  mode: 'read',
  allow: anyone,
  auditAs: 'valid-password',
  async prepare(call) {
    return await sendChallenge(call.core, call.account, candidateOf(call, mfaSessionOf(call)))
  },
  run: (_call, _params, message) => ({ message })
})
