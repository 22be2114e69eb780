/** `account.requestPasswordReset`: a mail with a link that sets a new password. (docs/spec/authentication.md#resetting-a-password) */
import { Type } from 'typebox'
import { AppId } from '../../../schemas/account.js'
import { trustedByOrigin } from '../../auth/allow.js'
import { method, type ServiceCall } from '../../call/method.js'
import { askForReset } from '../../sign-in/password-reset.js'

/**
 * Answers the same to everybody, at once: whether there is such a user, and whether the mail leaves, is not for the asker
 * to know. All of it happens after the answer.
 */
export const requestPasswordReset = method({
  id: 'account.requestPasswordReset',
  summary: 'Send a mail with a link that resets the password',
  params: Type.Object({ appId: AppId }),
  result: Type.Object({}),
  mode: 'read',
  allow: trustedByOrigin,
  auditAs: 'password-reset-request',
  run(call) {
    return ask(call, call.account.username)
  },
  async unknownUser(call, username) {
    return await Promise.resolve(ask(call, username))
  }
})

/** Every request counts as a failure would: nobody's mailbox is to be filled by strangers. */
function ask({ core, credentials }: ServiceCall, username: string): object {
  const guess = { subject: `ask:${username}`, ip: credentials.ip }
  core.throttle.check(guess)
  core.throttle.failed(guess)
  askForReset(core, username)
  return {}
}
