/** `mfa.recover`: removes a second factor that the user has lost. (docs/spec/mfa.md#removing-a-factor) */
import { Type } from 'typebox'
import { orNull } from '../../../schemas/scalars.js'
import { trustedApp } from '../../auth/allow.js'
import { fail } from '../../errors.js'
import {
  LoginParams,
  assertPasswordCurrent,
  verifyLogin,
  refuseUnknownUser
} from '../../sign-in/verify-login.js'
import { method, type ServiceCall } from '../../call/method.js'
import { getPresentedToken } from '../../auth/authenticate.js'
import { requireMfaSession } from '../../sign-in/mfa/sessions.js'
import { assertPasswordsEnabled } from '../../sign-in/passwords.js'
import { getFactor, isRecoveryCode, removeFactor } from '../../sign-in/mfa/factor.js'
import { notifyUser } from '../../sign-in/notices/notices.js'

/**
 * Takes the params of signing in, and a recovery code. A user who has signed in without a password, by an
 * identity, sends the `mfaToken` of that sign-in instead. The other codes are removed with the factor.
 * Notifies the user by mail. Wrong codes are counted and throw `invalid-parameter`. The user then signs in as
 * without a factor.
 */
export const recover = method({
  id: 'mfa.recover',
  summary: 'Turn off two-factor authentication with a recovery code',
  params: Type.Object({
    username: Type.Optional(LoginParams.username),
    password: Type.Optional(LoginParams.password),
    appId: LoginParams.appId,
    recoveryCode: orNull(Type.String({ maxLength: 1000 }))
  }),
  result: Type.Object({ message: Type.String() }),
  mode: 'write',
  isAllowedWhileClosing: true,
  mayExceedQuota: true,
  allow: trustedApp,
  auditActor: 'valid-password',
  async prepare(call, params) {
    requireCode(params)
    call.services.throttle.check(toGuess(call, call.account.username))
    const login = parseLogin(call, params)
    if (login) return await verifyLogin(call, login)
    requireMfaSession(call, 'login')
    return undefined
  },
  run(call, params, hash) {
    const { account, services, store } = call
    const { recoveryCode } = params
    if (parseLogin(call, params)) assertPasswordCurrent(call, hash)
    else requireMfaSession(call, 'login')
    const factor = getFactor(store)
    if (!factor || !isRecoveryCode(factor, recoveryCode ?? '')) {
      services.throttle.failed(toGuess(call, account.username))
      fail('invalid-parameter', 'The recovery code is invalid')
    }
    notifyUser(call, { kind: 'secondFactorOff' })
    removeFactor(store)
    return { message: 'Two-factor authentication is off' }
  },
  async handleUnknownUser(call, username, params) {
    requireCode(params)
    const login = parseLogin(call, params)
    if (login) return await refuseUnknownUser(call, username, login)
    call.services.throttle.unknownToken(call.credentials.ip)
    return fail('forbidden', 'The MFA session token is invalid or expired')
  }
})

interface Login {
  readonly username: string
  readonly password: string
}

/** Returns the name and password of a call; `undefined` if it has a token. */
function parseLogin(
  { services, credentials }: ServiceCall,
  { password, username }: { readonly password?: string; readonly username?: string }
): Login | undefined {
  if (password === undefined && getPresentedToken(credentials) !== undefined) return undefined
  assertPasswordsEnabled(services.config)
  if (password === undefined || username === undefined)
    fail('invalid-parameters-format', 'Send either a username and password, or an MFA session token')
  return { username, password }
}

function requireCode({ recoveryCode }: { recoveryCode?: string | null }): void {
  if (!recoveryCode) fail('missing-parameter', 'The parameter "recoveryCode" is missing')
}

function toGuess({ credentials }: ServiceCall, username: string): { subject: string; ip: string } {
  return { subject: `recover:${username}`, ip: credentials.ip }
}
