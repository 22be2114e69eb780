/**
 * `system.unlockUser`: unlocks sign-in for a user who has to wait after wrong passwords or codes.
 * (docs/spec/administration.md#unlocking-sign-in)
 */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { operatorMethod } from '../../auth/admin.js'
import { requireServedAccount } from '../../platform/find-account.js'
import { resetAttempts } from '../../sign-in/mfa/attempts.js'

/** `DELETE /system/users/{username}/wait`: 204, whether or not the user had to wait. */
export const unlockUser = operatorMethod({
  id: 'system.unlockUser',
  summary: 'Unlock sign-in for a user',
  params: Type.Object({ username: Type.String() }, closed),
  result: Type.Object({}),
  describeAction: () => ({}),
  async run({ services }, { username }) {
    const account = requireServedAccount(services, username)
    const store = services.accounts.openStore(account)
    await store.write(() => {
      resetAttempts(store, 'mfa-failures')
      resetAttempts(store, 'mfa-messages')
    })
    services.throttle.forget(account.username)
    return {}
  }
})
