/** `system.resumeUser`: an account that was suspended can be used again. (docs/spec/administration.md#suspending) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { operatorMethod } from '../../auth/admin.js'
import { fail } from '../../errors.js'
import { requireAccount } from '../../platform/find-account.js'
import { announceAccountChange } from '../../platform/remove-account.js'

/**
 * `DELETE /system/users/{username}/suspension`. Webhooks get the changes they missed, and imports are
 * resumed. Throws `unknown-resource` if the account is not suspended.
 */
export const resumeUser = operatorMethod({
  id: 'system.resumeUser',
  summary: 'Restore access to a suspended account',
  params: Type.Object({ username: Type.String() }, closed),
  result: Type.Object({ suspensionDeletion: Type.Object({ username: Type.String() }) }),
  describeAction: () => ({}),
  async run({ services }, params) {
    const account = requireAccount(services, params.username)
    if (account.suspended === null) fail('unknown-resource', 'This account is not suspended')
    await services.accounts.resume(account)
    // Webhooks receive the changes they missed.
    announceAccountChange(services, account)
    const open = services.accounts.find(account.username)
    if (open) services.imports.resumePending(open)
    return { suspensionDeletion: { username: account.username } }
  }
})
