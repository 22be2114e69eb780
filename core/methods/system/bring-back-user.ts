/** `system.bringBackUser`: an account that was marked as relocated is served here again. (docs/spec/administration.md#relocation) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { operatorMethod } from '../../auth/admin.js'
import { fail } from '../../errors.js'
import { requireAccount } from '../../platform/find-account.js'
import { announceAccountChange } from '../../platform/remove-account.js'

/**
 * `DELETE /system/users/{username}/relocation`. Webhooks get the changes they missed. Throws
 * `unknown-resource` if the account has not moved.
 */
export const bringBackUser = operatorMethod({
  id: 'system.bringBackUser',
  summary: 'Undo marking an account as moved',
  params: Type.Object({ username: Type.String() }, closed),
  result: Type.Object({ relocationDeletion: Type.Object({ username: Type.String() }) }),
  describeAction: () => ({}),
  async run({ services }, params) {
    const account = requireAccount(services, params.username)
    if (account.relocatedTo === null) fail('unknown-resource', 'This account has not moved')
    await services.accounts.undoRelocation(account)
    // Webhooks receive the changes they missed.
    announceAccountChange(services, account)
    return { relocationDeletion: { username: account.username } }
  }
})
