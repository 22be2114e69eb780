/** `account.resetPassword`: a new password by a mailed token. (docs/spec/authentication.md#resetting-a-password) */
import { Type } from 'typebox'
import { AppId, PlainPassword } from '../../../schemas/account.js'
import { trustedByOrigin } from '../../auth/allow.js'
import { forgetMessages } from '../../account/email/message-count.js'
import { fail } from '../../errors.js'
import { method, type ServiceCall } from '../../call/method.js'
import { hashOfNew } from '../../sign-in/password-rules.js'

/**
 * Puts a new password in force and ends all sessions: whoever lost the password may have lost it to somebody else. Tokens
 * of apps and of those data is shared with stay. All links that were mailed are used up by it; one that is refused by
 * the rules for passwords stays good.
 */
export const resetPassword = method({
  id: 'account.resetPassword',
  summary: 'Set a new password by the token of such a mail',
  params: Type.Object({
    resetToken: Type.String({ maxLength: 1000 }),
    newPassword: PlainPassword,
    appId: AppId
  }),
  result: Type.Object({}),
  mode: 'write',
  mayExceedQuota: true,
  allow: trustedByOrigin,
  auditAs: 'password-reset-token',
  async prepare(call, { newPassword, resetToken }) {
    const { account, core, now, store } = call
    core.throttle.check(guessOf(call, account.username))
    if (store.signIn.find('reset', resetToken, now) === undefined) return refuse(call, account.username)
    return await hashOfNew(core, store, newPassword, now)
  },
  run(call, { resetToken }, hash) {
    const { account, changes, now, store } = call
    // It may have been used, or the password changed, while this one was hashed.
    if (store.signIn.find('reset', resetToken, now) === undefined) refuse(call, account.username)
    store.account.insertPassword({ hash, created: now })
    store.signIn.removeAll('reset')
    store.signIn.removeAll('mfa')
    forgetMessages(store, 'reset')
    for (const { id, type } of store.accesses.list())
      if (type === 'personal' && store.sessions.end(id)) changes.add('sessions', [], id)
    changes.add('account')
    call.core.throttle.succeeded({ ...guessOf(call, account.username), subject: `login:${account.username}` })
    return {}
  },
  async unknownUser(call, username) {
    call.core.throttle.check(guessOf(call, username))
    return await Promise.resolve(refuse(call, username))
  }
})

function guessOf({ credentials }: ServiceCall, username: string): { subject: string; ip: string } {
  return { subject: `reset:${username}`, ip: credentials.ip }
}

function refuse(call: ServiceCall, username: string): never {
  call.core.throttle.failed(guessOf(call, username))
  fail('invalid-access-token', 'The reset token is unknown, or was used, or has expired')
}
