/** `mfa.recover`: removes a second factor that the user has lost. (docs/spec/mfa.md#removing-a-factor) */
import { Type } from 'typebox'
import { orNull } from '../../../schemas/scalars.js'
import { trustedApp } from '../../auth/allow.js'
import { fail } from '../../errors.js'
import { LoginParams, mustStillHold, verifyLogin, verifyNobody } from '../../sign-in/verify-login.js'
import { method, type ServiceCall } from '../../call/method.js'
import { factorOf, isRecoveryCode, removeFactor } from '../../sign-in/mfa/factor.js'

/** Takes the params of signing in, and a recovery code. The other codes are removed with the factor. */
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
    call.services.throttle.check(guessOf(call, call.account.username))
    return await verifyLogin(call, params)
  },
  run(call, { recoveryCode }, hash) {
    const { account, services, store } = call
    mustStillHold(call, hash)
    const factor = factorOf(store)
    if (!factor || !isRecoveryCode(factor, recoveryCode ?? '')) {
      services.throttle.failed(guessOf(call, account.username))
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
