/** `mfa.recover`: removes the second factor of somebody who has lost it. (docs/spec/mfa.md#removing-a-factor) */
import { Type } from 'typebox'
import { orNull } from '../../../schemas/scalars.js'
import { trustedApp } from '../../auth/allow.js'
import { fail } from '../../errors.js'
import { LoginParams, mustStillHold, verifyLogin, verifyNobody } from '../../sign-in/verify-login.js'
import { method, type ServiceCall } from '../../call/method.js'
import { digestOf, factorOf, removeFactor } from '../../sign-in/mfa/factor.js'

/** Takes what signing in takes, and a recovery code. The other codes go with the factor. */
export const recover = method({
  id: 'mfa.recover',
  summary: 'Turn the second factor off by a recovery code',
  params: Type.Object({ ...LoginParams, recoveryCode: orNull(Type.String({ maxLength: 1000 })) }),
  result: Type.Object({ message: Type.String() }),
  mode: 'write',
  mayExceedQuota: true,
  allow: trustedApp,
  auditAs: 'valid-password',
  async prepare(call, params) {
    mustHaveCode(params)
    call.core.throttle.check(guessOf(call, call.account.username))
    return await verifyLogin(call, params)
  },
  run(call, { recoveryCode }, hash) {
    const { account, core, store } = call
    mustStillHold(call, hash)
    if (!factorOf(store)?.recoveryCodes.includes(digestOf(recoveryCode ?? ''))) {
      core.throttle.failed(guessOf(call, account.username))
      fail('invalid-parameter', 'The recovery code is invalid')
    }
    removeFactor(store)
    return { message: 'Signing in takes no second factor any more' }
  },
  async unknownUser(call, username, params) {
    mustHaveCode(params)
    return await verifyNobody(call, username, params)
  }
})

function mustHaveCode({ recoveryCode }: { recoveryCode?: string | null }): void {
  if (!recoveryCode) fail('missing-parameter', 'The parameter "recoveryCode" is missing')
}

function guessOf({ credentials }: ServiceCall, username: string): { subject: string; ip: string } {
  return { subject: `recover:${username}`, ip: credentials.ip }
}
