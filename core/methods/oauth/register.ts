/** `oauth.register`: a program registers itself as a client. (RFC 7591; docs/api/oauth.md#registering-a-client) */
import { Type } from 'typebox'
import { anyone } from '../../auth/allow.js'
import { serviceMethod } from '../../call/method.js'
import { requestLifetime } from '../../accesses/auth-requests.js'
import { fail } from '../../errors.js'
import { removeUnusedClients } from '../../oauth/clients.js'
import { ClientMetadata, createClient } from '../../oauth/registration.js'

/**
 * Adds the client, and removes others that were never used. Returns its id, and its secret, if it has one;
 * the secret is never returned again. Throws `unavailable-method` if registration is turned off,
 * `api-unavailable` if there are too many clients.
 */
export const register = serviceMethod({
  id: 'oauth.register',
  summary: 'Register an OAuth client, if registration is turned on',
  params: ClientMetadata,
  result: Type.Object({ client_id: Type.String(), client_secret: Type.Optional(Type.String()) }),
  allow: anyone,
  async run({ credentials, now, services }, metadata) {
    const { maxClients, registration } = services.config.oauth
    if (!registration)
      fail('unavailable-method', 'Client registration is turned off (oauth.registration). Ask the operator')
    const { answer, client } = createClient(services.config, metadata, now)
    services.throttle.registerClient(credentials.ip)
    await removeUnusedClients(services, now)
    // By then no pending request of the client can remain.
    if (!(await services.platform.change('addClient', client, now, maxClients, now - requestLifetime)))
      fail('api-unavailable', 'Too many clients are registered. Try again later')
    return answer
  }
})
