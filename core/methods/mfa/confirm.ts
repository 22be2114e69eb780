/** `mfa.confirm`: puts a second factor in force once it is proved. (docs/spec/mfa.md#activation) */
import { Type } from 'typebox'
import { KeyValue } from '../../../schemas/scalars.js'
import { anyone } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { digestCode, createRecoveryCodes, setFactor } from '../../sign-in/mfa/factor.js'
import { verifyFactor } from '../../sign-in/mfa/verify-factor.js'
import { requireMfaSession, requireMfaToken } from '../../sign-in/mfa/sessions.js'
import { notifyUser } from '../../sign-in/notices/notices.js'
import { createClosingError } from '../../unknown-user.js'

/**
 * Returns the recovery codes, which are never shown again. Replaces an earlier factor. Notifies the user by
 * mail. Throws an error for a wrong code, and for an account that is scheduled for deletion.
 */
export const confirm = method({
  id: 'mfa.confirm',
  summary: 'Finish turning on two-factor authentication',
  params: KeyValue,
  result: Type.Object({ recoveryCodes: Type.Array(Type.String()) }),
  mode: 'write',
  mayExceedQuota: true,
  allow: anyone,
  auditActor: 'valid-password',
  // A session that is not valid is refused as in an open account.
  isAllowedWhileClosing: true,
  async prepare(call, given) {
    const { candidate } = requireMfaSession(call, 'activate')
    if (call.account.deletion !== null) throw createClosingError(call.account.deletion)
    return await verifyFactor(call, candidate, given)
  },
  run(call, _params, { step }) {
    const { store } = call
    // The session may have ended while the proof was being verified.
    const { candidate } = requireMfaSession(call, 'activate')
    const recoveryCodes = createRecoveryCodes()
    setFactor(store, {
      ...candidate,
      recoveryCodes: recoveryCodes.map(digestCode),
      ...(step === undefined ? {} : { lastStep: step })
    })
    store.signIn.remove(requireMfaToken(call))
    // With a stolen session, an attacker could replace the owner's factor.
    notifyUser(call, { kind: 'secondFactorOn' })
    return { recoveryCodes }
  }
})
