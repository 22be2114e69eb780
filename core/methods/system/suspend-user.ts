/** `system.suspendUser`: blocks an account until it is resumed. (docs/spec/administration.md#suspending) */
import { Type } from 'typebox'
import { closed, Timestamp } from '../../../schemas/scalars.js'
import { operatorMethod } from '../../auth/admin.js'
import { requireAccount } from '../../platform/find-account.js'
import { assertNotOwnAccount } from '../../auth/operators.js'
import { announceAccountChange } from '../../platform/remove-account.js'

/**
 * `POST /system/users/{username}/suspension`. Keeps the data; calls to the account get 403, and its sockets
 * are closed. One that is suspended already keeps its time. Operators cannot suspend their own account.
 */
export const suspendUser = operatorMethod({
  id: 'system.suspendUser',
  summary: 'Suspend an account',
  params: Type.Object({ username: Type.String() }, closed),
  result: Type.Object({ suspension: Type.Object({ username: Type.String(), since: Timestamp }) }),
  describeAction: () => ({}),
  async run(call, params) {
    const { now, services } = call
    const account = requireAccount(services, params.username)
    assertNotOwnAccount(call, account)
    const since = account.suspended ?? now
    // Notifies subscribers: sockets are closed, webhooks are not called.
    await services.accounts.suspend(account, since, () => announceAccountChange(services, account))
    return { suspension: { username: account.username, since } }
  }
})
