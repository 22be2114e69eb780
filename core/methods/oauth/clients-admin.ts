/** `oauth.getClients` and others: operators see OAuth clients, and revoke them and their keys. (docs/api/oauth.md#revoking-clients-and-keys) */
import { Type } from 'typebox'
import { closed, Timestamp } from '../../../schemas/scalars.js'
import { operatorMethod } from '../../auth/admin.js'
import type { Services } from '../../call/services.js'
import { fail } from '../../errors.js'
import { isKeyRevoked } from '../../oauth/clients.js'

const Client = Type.Object({
  id: Type.String(),
  name: Type.Union([Type.String(), Type.Null()]),
  isSelfRegistered: Type.Boolean(),
  /** User name of the client's own account. */
  account: Type.Union([Type.String(), Type.Null()]),
  /** When the client was revoked. */
  revoked: Type.Union([Timestamp, Type.Null()]),
  keys: Type.Array(Type.Object({ kid: Type.String(), isRevoked: Type.Boolean() }))
})

/** Maximum number of listed clients that have registered themselves. */
const maxListed = 1000

/**
 * `GET /system/oauth/clients`: the clients in the settings, then the clients that registered themselves, most recently used
 * first.
 */
export const getClients = operatorMethod({
  id: 'oauth.getClients',
  summary: 'List OAuth clients and their keys',
  params: Type.Object({}, closed),
  result: Type.Object({ clients: Type.Array(Client) }),
  run({ services: { config, platform } }) {
    const ofSettings = config.access.apps.flatMap(({ displayName, id, oauth }) => {
      if (!oauth) return []
      const { keys: states, revoked = null } = platform.oauthClients.findState(id)
      const keys = (oauth.keys ?? []).map(key => ({ kid: key.kid, isRevoked: isKeyRevoked(key, states) }))
      const { account = null } = oauth
      return [{ id, name: displayName ?? null, isSelfRegistered: false, account, revoked, keys }]
    })
    const registered = platform.oauthClients.list(maxListed).map(({ id, name = null }) => ({
      id,
      name,
      isSelfRegistered: true,
      account: null,
      revoked: platform.oauthClients.findState(id).revoked ?? null,
      keys: []
    }))
    return { clients: [...ofSettings, ...registered] }
  }
})

const ClientParams = Type.Object({ client: Type.String() }, closed)
const KeyParams = Type.Object({ client: Type.String(), kid: Type.String() }, closed)

/**
 * `POST /system/oauth/clients/{client}/revocation`: its accesses end at once, in all accounts, and it gets no
 * others. Throws `unknown-resource` for an unknown client.
 */
export const revokeClient = operatorMethod({
  id: 'oauth.revokeClient',
  summary: 'Revoke an OAuth client with all its accesses',
  params: ClientParams,
  result: Type.Object({ client: Type.Object({ id: Type.String(), revoked: Timestamp }) }),
  describeAction: ({ client }) => ({ client }),
  async run({ now, services }, { client }) {
    requireClient(services, client)
    return { client: { id: client, revoked: await services.platform.change('revokeClient', client, now) } }
  }
})

const KeyResult = Type.Object({ key: Type.Object({ kid: Type.String(), isRevoked: Type.Boolean() }) })

/**
 * `POST /system/oauth/clients/{client}/keys/{kid}/revocation`: what the key has signed is refused from now
 * on. Throws `unknown-resource` for keys that are not in the settings.
 */
export const revokeClientKey = operatorMethod({
  id: 'oauth.revokeClientKey',
  summary: 'Revoke a key of an OAuth client',
  params: KeyParams,
  result: KeyResult,
  describeAction: ({ client, kid }) => ({ client, kid }),
  run: async ({ now, services }, { client, kid }) => await setKey(services, client, kid, now)
})

/** `DELETE /system/oauth/clients/{client}/keys/{kid}/revocation`: the key is valid again. */
export const restoreClientKey = operatorMethod({
  id: 'oauth.restoreClientKey',
  summary: 'Allow a revoked key of an OAuth client again',
  params: KeyParams,
  result: KeyResult,
  describeAction: ({ client, kid }) => ({ client, kid }),
  run: async ({ services }, { client, kid }) => await setKey(services, client, kid, null)
})

async function setKey(
  services: Services,
  client: string,
  kid: string,
  revoked: number | null
): Promise<object> {
  const app = services.config.access.apps.find(({ id }) => id === client)
  if (!app?.oauth?.keys?.some(key => key.kid === kid)) fail('unknown-resource', 'The client has no such key')
  await services.platform.change('setClientKey', client, kid, revoked)
  return { key: { kid, isRevoked: revoked !== null } }
}

/** Throws `unknown-resource` unless the client is listed in the settings, or has registered itself. */
function requireClient({ config, platform }: Services, id: string): void {
  const isListed = config.access.apps.some(app => app.id === id && app.oauth !== undefined)
  if (!isListed && !platform.oauthClients.find(id)) fail('unknown-resource', 'There is no such client')
}
