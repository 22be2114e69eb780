/** `system.keepUser`: keeps an account that its owner has scheduled for deletion. (docs/spec/administration.md#keeping-an-account) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { operatorMethod } from '../../auth/admin.js'
import { fail } from '../../errors.js'
import { requireAccount } from '../../platform/find-account.js'
import { announceAccountChange } from '../../platform/remove-account.js'

/**
 * `DELETE /system/users/{username}/deletion`. Webhooks get the changes they missed, and imports are resumed.
 * Throws `unknown-resource` if no deletion is scheduled.
 */
export const keepUser = operatorMethod({
  id: 'system.keepUser',
  summary: 'Cancel the scheduled deletion of an account, as the operator',
  params: Type.Object({ username: Type.String() }, closed),
  result: Type.Object({ keptUser: Type.Object({ username: Type.String() }) }),
  describeAction: () => ({}),
  async run({ services }, params) {
    const account = requireAccount(services, params.username)
    if (account.deletion === null) fail('unknown-resource', 'This account is not scheduled for deletion')
    await services.accounts.cancelDeletion(account)
    // Webhooks receive the changes they missed.
    announceAccountChange(services, account)
    const open = services.accounts.find(account.username)
    if (open) services.imports.resumePending(open)
    return { keptUser: { username: account.username } }
  }
})
