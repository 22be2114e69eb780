/**
 * `system.deletePasskeys`: deletes all passkeys of a user, such as one whose phone was stolen.
 * (docs/spec/administration.md#removing-passkeys)
 */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { operatorMethod } from '../../auth/admin.js'
import { requireServedAccount } from '../../platform/find-account.js'
import { notifyUser } from '../../sign-in/notices/notices.js'

/** Maximum number of characters of the names in the mail. */
const maxNamesLength = 80

/**
 * `DELETE /system/users/{username}/passkeys`: 204. Sessions and the password stay; notifies the user by mail.
 * Does nothing if there are none.
 */
export const deletePasskeys = operatorMethod({
  id: 'system.deletePasskeys',
  summary: 'Remove all passkeys of a user',
  params: Type.Object({ username: Type.String() }, closed),
  result: Type.Object({}),
  describeAction: () => ({}),
  async run({ services, now }, { username }) {
    const account = requireServedAccount(services, username)
    const store = services.accounts.openStore(account)
    await store.write(() => {
      const names = store.passkeys.list().map(({ name }) => name)
      if (names.length === 0) return
      store.passkeys.removeAll()
      const passkey = names.join(', ').slice(0, maxNamesLength)
      notifyUser({ account, now, services, store }, { kind: 'passkeyRemoved', passkey })
    })
    return {}
  }
})
