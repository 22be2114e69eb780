/** `registration.server`: the server that holds an account. (docs/spec/registration.md#finding-an-account) */
import { Type } from 'typebox'
import { anyone } from '../../auth/allow.js'
import { requireAccount, getServerUrl } from '../../platform/find-account.js'
import { serviceMethod } from '../../call/method.js'
import { getAccountUrl } from '../../service-info.js'

/** `POST {register}{username}/server`; `GET` is redirected there by a 302. `alias` is the account's URL without scheme. */
export const server = serviceMethod({
  id: 'registration.server',
  summary: 'Get the server that holds an account',
  params: Type.Object({ username: Type.String() }),
  result: Type.Object({ server: Type.String(), alias: Type.String() }),
  allow: anyone,
  facts: (told: { server: string }) => ({ server: told.server }),
  run({ services, credentials }, params) {
    services.throttle.lookUp(credentials.ip)
    const account = requireAccount(services, params.username)
    const alias = (account.relocatedTo ?? getAccountUrl(services.config, account.username))
      .replace(/^\w+:\/\//, '')
      .replace(/\/$/, '')
    return { server: getServerUrl(services, account), alias }
  }
})
