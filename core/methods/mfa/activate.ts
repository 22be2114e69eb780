/** `mfa.activate`: begins to ask for a second factor at sign-ins. (docs/spec/mfa.md#activation) */
import { Type } from 'typebox'
import { KeyValue } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { fail } from '../../errors.js'
import { method } from '../../call/method.js'
import { sendChallenge } from '../../sign-in/mfa/challenge.js'
import { openMfaSession, signInOf } from '../../sign-in/mfa/sessions.js'
import { newTotpSecret, TotpSecret } from '../../sign-in/mfa/totp.js'
import type { Services } from '../../call/services.js'
import type { Candidate } from '../../outgoing/messaging.js'
import { refuseParams } from '../../validation/params.js'

/** Characters, as JSON, of what a user gives for messages to him. */
const contentSize = 4096

/**
 * Answers the token by which `mfa.confirm` puts the factor in force; until then nothing has changed. Without a messaging
 * service, or with `method: 'totp'`, the factor is an app that makes codes, whose secret is in the answer; otherwise the
 * body is what messages to the user need, and a first one is sent.
 */
export const activate = method({
  id: 'mfa.activate',
  summary: 'Begin to use a second factor',
  params: KeyValue,
  result: Type.Object({ mfaToken: Type.String(), totp: Type.Optional(TotpSecret) }),
  mode: 'write',
  mayExceedQuota: true,
  allow: personalOnly,
  async prepare({ account, core }, content) {
    if (JSON.stringify(content).length > contentSize)
      refuseParams([
        {
          code: 'MAX_LENGTH',
          message: `What a second factor needs has ${contentSize} characters at most`,
          path: '#'
        }
      ])
    if (isTotp(core, content)) {
      const totp = await newTotpSecret(core.config, account.username)
      const candidate: Candidate = { method: 'totp', content: {}, secret: totp.secret }
      return { candidate, totp }
    }
    const candidate: Candidate = { method: 'sms', content }
    await sendChallenge(core, account, candidate)
    return { candidate }
  },
  run({ caller, core, now, store }, _params, { candidate, ...shown }) {
    const by = signInOf(caller.access ?? fail('invalid-access-token'))
    const session = { purpose: 'activate', candidate, by } as const
    return { mfaToken: openMfaSession(core.config, store, session, now), ...shown }
  }
})

function isTotp({ messaging }: Services, content: KeyValue): boolean {
  return messaging.mode === 'disabled' || (Object.hasOwn(content, 'method') && content['method'] === 'totp')
}
