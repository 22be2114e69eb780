/** `system.setPassword`: a new password for a user, hashed elsewhere. (docs/spec/administration.md#passwords) */
import { Type } from 'typebox'
import { PasswordHash } from '../../../schemas/account.js'
import { closed } from '../../../schemas/scalars.js'
import { Changes } from '../../changes.js'
import { adminOnly } from '../../auth/admin.js'
import { requireServedAccount } from '../../platform/find-account.js'
import { serviceMethod } from '../../call/method.js'
import { notifyUser } from '../../sign-in/notices/notices.js'
import { requirePasswordsEnabled, replacePassword } from '../../sign-in/passwords.js'

/**
 * `POST /system/users/{username}/password`: ends all sessions, makes links for a new password invalid, and
 * notifies the user by mail. Failed attempts to sign in are forgotten.
 */
export const setPassword = serviceMethod({
  id: 'system.setPassword',
  summary: 'Set the password of a user, as the operator',
  params: Type.Object({ username: Type.String(), passwordHash: PasswordHash }, closed),
  result: Type.Object({ username: Type.String() }),
  allow: requirePasswordsEnabled(adminOnly),
  auditActor: 'admin',
  describeAction: () => ({}),
  async run({ services, now }, { passwordHash, username }) {
    const account = requireServedAccount(services, username)
    const store = services.accounts.openStore(account)
    const changes = new Changes({ find: () => undefined })
    await store.write(() => {
      replacePassword(store, { hash: passwordHash, created: now }, changes)
      notifyUser({ account, now, services, store }, { kind: 'passwordChanged' })
    })
    // Sockets of the sessions that have ended are closed.
    services.bus.publish(account, changes)
    services.throttle.forget(account.username)
    return { username: account.username }
  }
})
