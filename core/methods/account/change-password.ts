/** `account.changePassword`: changes the password, given the current one. (docs/spec/authentication.md#passwords) */
import { Type } from 'typebox'
import { PlainPassword } from '../../../schemas/account.js'
import { personalOnly } from '../../auth/allow.js'
import { fail } from '../../errors.js'
import { method } from '../../call/method.js'
import { notifyUser } from '../../sign-in/notices/notices.js'
import { hashNewPassword } from '../../sign-in/password-rules.js'
import { verifyPassword, requirePasswordsEnabled } from '../../sign-in/passwords.js'
import { requireRecentSignIn } from '../../auth/recent-sign-in.js'
import { countAllSignInMethods } from '../../sign-in/sign-in-methods.js'

/**
 * Sets a new password, or after a recent sign-in the first password of an account that has none. Sessions and tokens
 * stay valid; password reset links do not. Of two concurrent changes the later one fails, as its old password is no
 * longer the current one.
 */
export const changePassword = method({
  id: 'account.changePassword',
  summary: 'Change the password',
  params: Type.Object(
    { oldPassword: Type.Optional(Type.String({ maxLength: 1000 })), newPassword: PlainPassword },
    { additionalProperties: false }
  ),
  result: Type.Object({}),
  mode: 'write',
  mayExceedQuota: true,
  allow: requirePasswordsEnabled(personalOnly),
  async prepare(call, { oldPassword, newPassword }) {
    const { account, services, credentials, now } = call
    const replaced = call.store.account.password()?.hash
    // A user without a password may set the first one after a recent sign-in in another way.
    const isFirst =
      replaced === undefined &&
      oldPassword === undefined &&
      countAllSignInMethods(services.config, call.store) > 0
    if (isFirst) requireRecentSignIn(call)
    if (!isFirst && oldPassword === undefined) refuseMissingPassword()
    const attempt = { username: account.username, password: oldPassword ?? '', hash: replaced }
    if (!isFirst && !(await verifyPassword(services, credentials, attempt))) refuseWrongPassword()
    return {
      replaced,
      hash: await hashNewPassword(services, services.accounts.openStore(account), newPassword, now)
    }
  },
  run(call, _params, { hash, replaced }) {
    const { changes, now, store } = call
    if (store.account.password()?.hash !== replaced) refuseWrongPassword()
    store.account.insertPassword({ hash, created: now })
    store.signIn.removeAll('reset')
    store.signIn.removeAll('mfa')
    changes.add('account')
    notifyUser(call, { kind: 'passwordChanged' })
    return {}
  }
})

function refuseMissingPassword(): never {
  fail('invalid-parameters-format', 'The old password is missing', [
    {
      code: 'OBJECT_MISSING_REQUIRED_PROPERTY',
      message: 'The old password is missing',
      path: '#/oldPassword'
    }
  ])
}

function refuseWrongPassword(): never {
  fail('invalid-operation', 'The old password is incorrect', {
    param: 'oldPassword',
    code: 'password-wrong'
  })
}
