/** `account.keep`: keeps an account that is scheduled for deletion. (docs/spec/accounts.md#keeping-an-account) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { fail } from '../../errors.js'
import { method } from '../../call/method.js'
import { requireRecentSignIn } from '../../auth/recent-sign-in.js'

/**
 * Reopens the account unchanged, for its owner after a recent sign-in, and resumes its imports. Throws
 * `unknown-resource` if it is not scheduled for deletion.
 */
export const keep = method({
  id: 'account.keep',
  summary: 'Cancel the scheduled deletion of an account',
  params: Type.Object({}, closed),
  result: Type.Object({ keptAccount: Type.Object({ username: Type.String() }) }),
  mode: 'write',
  isAllowedWhileClosing: true,
  mayExceedQuota: true,
  allow: personalOnly,
  async prepare(call) {
    const { account, services } = call
    if (account.deletion === null) fail('unknown-resource', 'This account is not scheduled for deletion')
    requireRecentSignIn(call)
    await services.accounts.cancelDeletion(account)
  },
  run({ account, changes, services }) {
    // Webhooks receive the changes they missed.
    changes.add('account')
    const open = services.accounts.find(account.username)
    if (open) services.imports.resumePending(open)
    return { keptAccount: { username: account.username } }
  }
})
