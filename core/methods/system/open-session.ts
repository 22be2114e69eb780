/** `system.openSession`: signs a user in without a password, for commands on this machine. (docs/operation.md#commands-and-a-running-service) */
import { Type } from 'typebox'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { commandsOnly } from '../../auth/admin.js'
import { openSession as openPersonalSession } from '../../auth/personal-access.js'
import { serviceMethod } from '../../call/method.js'
import { requireServedAccount } from '../../platform/find-account.js'
import { apiEndpoint } from '../../service-info.js'

/** `POST /system/users/{username}/session`: 201. It is the session of an app, and ends like any other. */
export const openSession = serviceMethod({
  id: 'system.openSession',
  summary: 'Sign a user in, from the command line',
  params: Type.Object(
    { username: Type.String(), appId: Type.String({ minLength: 1, maxLength: 99 }) },
    closed
  ),
  result: Type.Object({
    username: Type.String(),
    id: Identifier,
    token: Type.String(),
    apiEndpoint: Type.String()
  }),
  allow: commandsOnly,
  auditActor: 'admin',
  describeAction: () => ({}),
  async run({ services, now }, { appId, username: name }) {
    const account = requireServedAccount(services, name)
    const { username } = account
    const store = services.accounts.openStore(account)
    const { id, token } = await store.write(() => openPersonalSession(services.config, store, appId, now))
    return { username, id, token, apiEndpoint: apiEndpoint(services.config, username, token) }
  }
})
