/** `account.resetPassword`: sets a new password with a mailed token. (docs/spec/authentication.md#resetting-a-password) */
import { Type } from 'typebox'
import { AppId, PlainPassword } from '../../../schemas/account.js'
import { trustedByOrigin } from '../../auth/allow.js'
import { fail } from '../../errors.js'
import { method, type ServiceCall } from '../../call/method.js'
import { notifyUser } from '../../sign-in/notices/notices.js'
import { hashNewPassword } from '../../sign-in/password-rules.js'
import { replacePassword, requirePasswordsEnabled } from '../../sign-in/passwords.js'

/**
 * Sets a new password and ends all sessions, since the old password may be known to others. Tokens of app and
 * shared accesses stay valid. All mailed reset links become invalid; if the password rules refuse the new
 * password, they stay valid. Notifies the user by mail, and forgets failed sign-ins from this address. Throws
 * `invalid-access-token` for tokens that are not valid: guesses are counted.
 */
export const resetPassword = method({
  id: 'account.resetPassword',
  summary: 'Reset the password with the token of a reset link',
  params: Type.Object({
    resetToken: Type.String({ maxLength: 1000 }),
    newPassword: PlainPassword,
    appId: AppId
  }),
  result: Type.Object({}),
  mode: 'write',
  isAllowedWhileClosing: true,
  mayExceedQuota: true,
  allow: requirePasswordsEnabled(trustedByOrigin),
  auditActor: 'password-reset-token',
  async prepare(call, { newPassword, resetToken }) {
    const { account, services, now, store } = call
    services.throttle.check(toGuess(call, account.username))
    if (store.signIn.find('reset', resetToken, now) === undefined) return refuseToken(call, account.username)
    return await hashNewPassword(services, store, newPassword, now)
  },
  run(call, { resetToken }, hash) {
    const { account, changes, now, store } = call
    // The token may have been used, or the password changed, while the new password was hashed.
    if (store.signIn.find('reset', resetToken, now) === undefined) refuseToken(call, account.username)
    replacePassword(store, { hash, created: now }, changes)
    notifyUser(call, { kind: 'passwordChanged' })
    call.services.throttle.succeeded({
      ...toGuess(call, account.username),
      subject: `login:${account.username}`
    })
    return {}
  },
  async handleUnknownUser(call, username) {
    call.services.throttle.check(toGuess(call, username))
    return await Promise.resolve(refuseToken(call, username))
  }
})

function toGuess({ credentials }: ServiceCall, username: string): { subject: string; ip: string } {
  return { subject: `reset:${username}`, ip: credentials.ip }
}

function refuseToken(call: ServiceCall, username: string): never {
  call.services.throttle.failed(toGuess(call, username))
  fail('invalid-access-token', 'The reset token is unknown, already used or expired')
}
