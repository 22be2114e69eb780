/** `mfa.activate`: begins to set up a second factor. (docs/spec/mfa.md#activation) */
import { Type } from 'typebox'
import { proofParams } from '../../../schemas/passkey.js'
import type { KeyValue } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { fail } from '../../errors.js'
import { method } from '../../call/method.js'
import { requireOwner } from '../../sign-in/passkeys/owner-proof.js'
import { sendChallenge } from '../../sign-in/mfa/challenge.js'
import { openMfaSession, toSignInProof } from '../../sign-in/mfa/sessions.js'
import { createTotpSecret, TotpSecret } from '../../sign-in/mfa/totp.js'
import type { Services } from '../../call/services.js'
import type { Candidate } from '../../outgoing/messaging.js'
import { refuseParams } from '../../validation/params.js'

/** Maximum length of the data for messages to a user, in characters of JSON. */
const maxContentSize = 4096

/**
 * Returns the token with which `mfa.confirm` puts the factor in force; until then nothing changes. Without a messaging
 * service, or with `method: 'totp'`, the factor is an authenticator app, whose secret is in the result; otherwise the
 * params are the data for messages to the user, and a first message is sent. The proof, not needed after a recent
 * sign-in, is not stored: it prevents an attacker from setting up a factor that locks the user out.
 */
export const activate = method({
  id: 'mfa.activate',
  summary: 'Start turning on two-factor authentication',
  params: Type.Object(proofParams, { additionalProperties: Type.Unknown() }),
  result: Type.Object({ mfaToken: Type.String(), totp: Type.Optional(TotpSecret) }),
  mode: 'write',
  mayExceedQuota: true,
  allow: personalOnly,
  async prepare(call, { credential, password, ...content }) {
    const { account, services } = call
    if (JSON.stringify(content).length > maxContentSize)
      refuseParams([
        {
          code: 'MAX_LENGTH',
          message: `The content can have at most ${maxContentSize} characters`,
          path: '#'
        }
      ])
    await requireOwner(call, { credential, password })
    if (usesTotp(services, content)) {
      const totp = await createTotpSecret(services.config, account.username)
      const candidate: Candidate = { method: 'totp', content: {}, secret: totp.secret }
      return { candidate, totp }
    }
    const candidate: Candidate = { method: 'sms', content }
    await sendChallenge(services, account, candidate)
    return { candidate }
  },
  run({ caller, services, now, store }, _params, { candidate, ...shown }) {
    const by = toSignInProof(caller.access ?? fail('invalid-access-token'))
    const session = { purpose: 'activate', candidate, by } as const
    return { mfaToken: openMfaSession(services.config, store, session, now), ...shown }
  }
})

function usesTotp({ messaging }: Services, content: KeyValue): boolean {
  return messaging.mode === 'disabled' || (Object.hasOwn(content, 'method') && content['method'] === 'totp')
}
