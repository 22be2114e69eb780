/** `system.unlockUser`: lets a user try again who has to wait after wrong passwords or codes. (docs/spec/administration.md#unlocking-sign-in) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { adminOnly } from '../../auth/admin.js'
import { servedAccount } from '../../platform/find-account.js'
import { serviceMethod } from '../../call/method.js'
import { forgetAttempts } from '../../sign-in/mfa/attempts.js'

/** `DELETE /system/users/{username}/wait`: 204, whether there was anything to wait for or not. */
export const unlockUser = serviceMethod({
  id: 'system.unlockUser',
  summary: 'Let a user try again at once after wrong passwords or codes',
  params: Type.Object({ username: Type.String() }, closed),
  result: Type.Object({}),
  mode: 'service',
  allow: adminOnly,
  auditAs: 'admin',
  deed: () => ({}),
  async run({ services }, { username }) {
    const account = servedAccount(services, username)
    const store = services.accounts.store(account)
    await store.write(() => {
      forgetAttempts(store, 'mfa-failures')
      forgetAttempts(store, 'mfa-messages')
    })
    services.throttle.forget(account.username)
    return {}
  }
})
