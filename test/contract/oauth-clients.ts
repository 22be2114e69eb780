/** Scenarios of operators who revoke OAuth clients and their keys. (docs/spec/administration.md#oauth-clients) */
import assert from 'node:assert/strict'
import type { Contract, Scenario } from './scenario.js'
import { byAdmin, toOthers, withoutParams } from './users.js'
import { adminKey, type World } from './world.js'

/** No other scenario uses it: a client stays revoked. */
const client = { client: 'gone-app' }
const key = { client: 'keyed-app', kid: 'a-key' }
const keyPath = '/system/oauth/clients/keyed-app/keys/a-key/revocation'

const listed = async ({ service }: World): Promise<{ revoked: unknown; keys: object[] }> => {
  const { body } = await service.http('GET', '/system/oauth/clients', undefined, { authorization: adminKey })
  return body.clients.find(({ id }: { id: string }) => id === 'gone-app')
}

const unknown = (name: string, params: object): Scenario => ({
  name,
  kind: 'state',
  ...byAdmin,
  params,
  error: 'unknown-resource'
})

const strict = (params: object): Scenario => ({
  name: 'refuses other params',
  kind: 'params',
  ...byAdmin,
  params: { ...params, unheardOf: 1 },
  error: 'invalid-parameters-format'
})

export const oauthClientScenarios: Contract = {
  'oauth.getClients': [
    {
      name: 'lists the clients of the settings, with their keys',
      kind: 'success',
      ...byAdmin,
      answer: { clients: Array },
      after: (_world, { clients }) =>
        assert.deepEqual(
          clients.find(({ id }: { id: string }) => id === 'keyed-app'),
          {
            id: 'keyed-app',
            name: null,
            isSelfRegistered: false,
            account: 'robot',
            revoked: null,
            keys: [{ kid: 'a-key', isRevoked: false }]
          }
        )
    },
    ...withoutParams
  ],

  'oauth.revokeClient': [
    {
      name: 'revokes the client',
      kind: 'success',
      ...byAdmin,
      params: client,
      answer: { client: { id: 'gone-app', revoked: Number } },
      after: async world => assert.equal(typeof (await listed(world)).revoked, 'number')
    },
    unknown('refuses an unknown client', { client: 'nobody' }),
    strict(client),
    ...toOthers(() => client)
  ],

  'oauth.revokeClientKey': [
    {
      name: 'revokes the key',
      kind: 'success',
      ...byAdmin,
      params: key,
      answer: { key: { kid: 'a-key', isRevoked: true } }
    },
    unknown('refuses an unknown key', { ...key, kid: 'another' }),
    strict(key),
    ...toOthers(() => key)
  ],

  'oauth.restoreClientKey': [
    {
      name: 'allows the key again',
      kind: 'success',
      before: async ({ service }) => {
        const { status } = await service.http('POST', keyPath, undefined, { authorization: adminKey })
        assert.equal(status, 200)
      },
      ...byAdmin,
      params: key,
      answer: { key: { kid: 'a-key', isRevoked: false } }
    },
    unknown('refuses an unknown key', { ...key, kid: 'another' }),
    strict(key),
    ...toOthers(() => key)
  ]
}
