/** `registration.cores`: the server for a user, by name or email address. (docs/spec/registration.md#finding-an-account) */
import { Type } from 'typebox'
import { anyone } from '../../auth/allow.js'
import { requireAccount, getServerUrl } from '../../platform/find-account.js'
import { serviceMethod } from '../../call/method.js'
import { getCoreUrl } from '../../service-info.js'
import { refuseParams } from '../../validation/params.js'

/** `GET {register}cores`. Unknown addresses get a server too, so that the result does not reveal whether an address is registered. */
export const cores = serviceMethod({
  id: 'registration.cores',
  summary: 'Get the server of an account',
  params: Type.Object({ username: Type.Optional(Type.String()), email: Type.Optional(Type.String()) }),
  result: Type.Object({ core: Type.Object({ url: Type.String() }) }),
  allow: anyone,
  run({ services, credentials }, { username, email }) {
    services.throttle.lookUp(credentials.ip)
    if ((username === undefined) === (email === undefined))
      refuseParams([{ code: 'ONE_OF_MISSING', message: 'Send either "username" or "email"', path: '#' }])
    const url =
      username === undefined
        ? getCoreUrl(services.config)
        : getServerUrl(services, requireAccount(services, username))
    return { core: { url } }
  }
})
