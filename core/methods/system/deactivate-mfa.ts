/** `system.deactivateMfa`: removes the second factor of a user who can no longer use it. (docs/spec/administration.md#removing-a-second-factor) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { operatorMethod } from '../../auth/admin.js'
import { requireServedAccount } from '../../platform/find-account.js'
import { notifyUser } from '../../sign-in/notices/notices.js'

/**
 * `DELETE /system/users/{username}/mfa`: 204, also if there is no factor. Removes the `mfa` key of the
 * private profile set, and nothing else; notifies the user by mail.
 */
export const deactivateMfa = operatorMethod({
  id: 'system.deactivateMfa',
  summary: 'Turn off two-factor authentication of a user',
  params: Type.Object({ username: Type.String() }, closed),
  result: Type.Object({}),
  describeAction: () => ({}),
  async run({ services, now }, { username }) {
    const account = requireServedAccount(services, username)
    const store = services.accounts.openStore(account)
    if (
      Object.hasOwn(
        store.read(() => store.profile.find('private')),
        'mfa'
      )
    )
      await store.write(() => {
        store.profile.update('private', { mfa: null })
        notifyUser({ account, now, services, store }, { kind: 'secondFactorOff' })
      })
    return {}
  }
})
