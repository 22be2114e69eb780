/** `account.requestPasswordReset`: mails a password reset link. (docs/spec/authentication.md#resetting-a-password) */
import { Type } from 'typebox'
import { AppId } from '../../../schemas/account.js'
import { trustedByOrigin } from '../../auth/allow.js'
import { method, type ServiceCall } from '../../call/method.js'
import { sendResetLink } from '../../sign-in/password-reset.js'
import { requirePasswordsEnabled } from '../../sign-in/passwords.js'

/**
 * Always returns the same, at once: the caller must not learn whether the user exists, or whether a mail is sent. All work is
 * done after the response.
 */
export const requestPasswordReset = method({
  id: 'account.requestPasswordReset',
  summary: 'Send a password reset link',
  params: Type.Object({ appId: AppId }),
  result: Type.Object({}),
  mode: 'read',
  isAllowedWhileClosing: true,
  allow: requirePasswordsEnabled(trustedByOrigin),
  auditActor: 'password-reset-request',
  run(call) {
    return requestReset(call, call.account.username)
  },
  async handleUnknownUser(call, username) {
    return await Promise.resolve(requestReset(call, username))
  }
})

/** Counts every request as a failure, so that no mailbox can be flooded, and requests the reset. */
function requestReset({ services, credentials }: ServiceCall, username: string): object {
  const guess = { subject: `ask:${username}`, ip: credentials.ip }
  services.throttle.check(guess)
  services.throttle.failed(guess)
  sendResetLink(services, username)
  return {}
}
