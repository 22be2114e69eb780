/** Scenarios of the methods on accesses. (docs/spec/accesses.md) */
import assert from 'node:assert/strict'
import type { World } from './world.js'
import { lacks, tooLong, withoutToken, type Contract, type Scenario } from './scenario.js'

const reading = { name: 'new', permissions: [{ streamId: 'diary', level: 'read' }] }
const permissions = (streamId: string, level: string) => ({ name: 'new', permissions: [{ streamId, level }] })

/** Renames the access of the reader, which has a version then. */
async function updateReader({ clients, owner }: World): Promise<void> {
  const { access } = await owner.do('accesses.getOne', { id: clients.get('reader')!.access.id })
  await owner.do('accesses.update', { id: access.id, update: { name: 'renamed' } })
}

export const accessScenarios: Contract = {
  getAccessInfo: [
    {
      name: 'returns the access',
      kind: 'success',
      by: 'app',
      answer: ({ clients, owner }) => {
        const { id, token } = clients.get('app')!.access
        return {
          id,
          token,
          type: 'app',
          name: 'an-app-that-contributes',
          deviceName: 'phone',
          calls: Object,
          permissions: [{ streamId: 'diary', level: 'contribute' }],
          user: { username: owner.username }
        }
      }
    },
    {
      name: 'returns a personal access, which has no permissions',
      kind: 'success',
      answer: { type: 'personal', user: { username: /^user-/ } },
      after: (_world, answer) => lacks(answer, 'permissions')
    },
    ...withoutToken()
  ],

  'accesses.get': [
    {
      name: 'returns all accesses to their owner, ordered by name',
      kind: 'success',
      answer: ({ owner }) => ({
        accesses: [
          { type: 'app', name: 'an-app-that-contributes', token: String, apiEndpoint: /^http:\/\/.+@.+\/$/ },
          { name: 'an-app-that-manages' },
          { name: 'coffer-test', type: 'personal', id: owner.access.id },
          { name: 'contributor', type: 'shared', permissions: [{ streamId: 'diary', level: 'contribute' }] },
          { name: 'reader' },
          { name: 'restricted' },
          { name: 'sensor' }
        ]
      }),
      after: (_world, answer) => {
        assert.equal(answer.accesses.length, 7)
        lacks(answer, 'accessDeletions')
        for (const access of answer.accesses) lacks(access, 'deleted', 'expireAfter')
      }
    },
    {
      name: 'returns deletions on request',
      kind: 'success',
      params: { includeDeletions: true, includeExpired: true },
      answer: { accesses: [{}], accessDeletions: [] }
    },
    {
      name: 'returns to an app only the accesses that it created',
      kind: 'success',
      by: 'app',
      answer: { accesses: [] }
    },
    ...[{ includeExpired: 'x' }, { includeDeletions: 'x' }, { unheardOf: 1 }].map((params): Scenario => ({
      name: `refuses ${JSON.stringify(params)}`,
      kind: 'params',
      params,
      error: 'invalid-parameters-format'
    })),
    { name: 'refuses shared accesses', kind: 'caller', by: 'contributor', error: 'forbidden' },
    ...withoutToken()
  ],

  'accesses.create': [
    {
      name: 'returns the new access',
      kind: 'success',
      params: { ...reading, clientData: { a: { b: 1 } }, expireAfter: 100 },
      answer: ({ owner, service }) => ({
        access: {
          id: String,
          token: String,
          type: 'shared',
          apiEndpoint: /^http:\/\/.+@.+\/$/,
          ...reading,
          clientData: { a: { b: 1 } },
          expires: service.clock.now() + 100,
          createdBy: owner.access.id
        }
      }),
      after: (_world, { access }) => lacks(access, 'expireAfter', 'deleted', 'deviceName')
    },
    {
      name: 'creates app accesses for each device',
      kind: 'success',
      params: { ...reading, type: 'app', name: 'an-app-that-contributes', deviceName: 'watch' },
      answer: { access: { type: 'app', deviceName: 'watch' } }
    },
    {
      name: 'accepts a token from the client, slugified',
      kind: 'success',
      params: { ...reading, token: 'My tökén_1' },
      answer: { access: { token: 'My-token_1' } }
    },
    {
      name: 'accepts features',
      kind: 'success',
      params: {
        name: 'new',
        permissions: [...reading.permissions, { feature: 'selfRevoke', setting: 'forbidden' }]
      },
      answer: {
        access: { permissions: [{ streamId: 'diary' }, { feature: 'selfRevoke', setting: 'forbidden' }] }
      }
    },
    {
      name: 'creates an access that has already expired',
      kind: 'success',
      params: { ...reading, expireAfter: 0 },
      answer: ({ service }) => ({ access: { expires: service.clock.now() } })
    },
    {
      name: 'lets apps share their own permissions',
      kind: 'success',
      by: 'app',
      params: permissions('walks', 'contribute'),
      answer: ({ clients }) => ({ access: { type: 'shared', createdBy: clients.get('app')!.access.id } })
    },
    ...[
      { permissions: reading.permissions },
      { name: 'new' },
      { ...reading, name: 12 },
      { ...reading, type: 'special' },
      { ...reading, permissions: [{ streamId: 'diary', level: 'rule' }] },
      { ...reading, permissions: [{ streamId: 'diary' }] },
      { ...reading, permissions: [{ level: 'read' }] },
      { ...reading, permissions: [{ tag: 'x', level: 'read' }] },
      { ...reading, permissions: [{ feature: 'selfRevoke', setting: 'maybe' }] },
      { ...reading, permissions: [{ feature: 'flying', setting: 'forbidden' }] },
      { ...reading, expireAfter: -1 },
      { ...reading, expireAfter: 'soon' },
      { ...reading, clientData: null },
      { ...reading, clientData: 'x' },
      { ...reading, deleted: 1 },
      { ...reading, deleted: null },
      { ...reading, id: 'x' },
      { ...reading, expires: 1 },
      { ...reading, unheardOf: 1 }
    ].map((params): Scenario => ({
      name: `refuses ${JSON.stringify(params)}`,
      kind: 'params',
      params,
      error: 'invalid-parameters-format'
    })),
    ...[
      { params: { ...reading, name: 'é'.repeat(1025) }, path: '#/name' },
      { params: { ...reading, type: 'app', deviceName: 'é'.repeat(1025) }, path: '#/deviceName' },
      {
        params: { name: 'x', permissions: [{ ...reading.permissions[0], defaultName: 'é'.repeat(1025) }] },
        path: '#/permissions/0/defaultName'
      }
    ].map(({ params, path }): Scenario => ({
      name: `refuses more than 1024 characters in ${path}`,
      kind: 'params',
      params,
      ...tooLong(path)
    })),
    ...['null', '*', '???'].map((token): Scenario => ({
      name: `refuses the token ${token}`,
      kind: 'params',
      params: { ...reading, token },
      error: 'invalid-item-id'
    })),
    {
      name: 'refuses a device name for a shared access',
      kind: 'params',
      params: { ...reading, deviceName: 'phone' },
      error: 'invalid-parameters-format'
    },
    {
      name: 'refuses a token that is taken, without revealing it',
      kind: 'state',
      params: ({ clients }) => ({ ...reading, token: clients.get('reader')!.token }),
      error: 'item-already-exists',
      match: { data: { token: '(hidden)' } }
    },
    ...[
      { ...reading, name: 'reader' },
      { ...reading, type: 'app', name: 'an-app-that-contributes', deviceName: 'phone' }
    ].map((params): Scenario => ({
      name: `refuses the name ${params.name}, which is taken`,
      kind: 'state',
      params,
      error: 'item-already-exists',
      match: { data: { name: params.name } }
    })),
    {
      name: 'refuses to create personal accesses',
      kind: 'caller',
      params: { ...reading, type: 'personal' },
      error: 'forbidden'
    },
    {
      name: 'refuses shared accesses',
      kind: 'caller',
      by: 'contributor',
      params: reading,
      error: 'forbidden'
    },
    ...[
      permissions('diary', 'manage'),
      permissions('body', 'read'),
      permissions('*', 'read'),
      { ...reading, type: 'app' }
    ].map((params): Scenario => ({
      name: `of ${JSON.stringify(params)} is refused to an app that may do less`,
      kind: 'caller',
      by: 'app',
      params,
      error: 'forbidden'
    })),
    ...withoutToken(reading)
  ],

  'accesses.getReceipt': [
    {
      name: 'returns a signed receipt to the access itself',
      kind: 'success',
      by: 'reader',
      params: ({ clients }) => ({ id: clients.get('reader')!.access.id }),
      answer: {
        receipt: { type: 'ConsentRecord', hasPersonalData: [{ streamId: 'diary' }] },
        jws: /^[\w-]+\.[\w-]+\.[\w-]+$/
      }
    },
    {
      name: 'refuses other params',
      kind: 'params',
      params: ({ clients }) => ({ id: clients.get('reader')!.access.id, x: 1 }),
      error: 'invalid-parameters-format'
    },
    {
      name: 'knows no session',
      kind: 'state',
      params: ({ owner }) => ({ id: owner.access.id }),
      error: 'invalid-operation'
    },
    {
      name: 'hides the accesses of others',
      kind: 'caller',
      by: 'reader',
      params: ({ clients }) => ({ id: clients.get('app')!.access.id }),
      error: 'unknown-resource'
    },
    { name: 'knows no other', kind: 'unknown', params: { id: 'unheard-of' }, error: 'unknown-resource' },
    ...withoutToken({ id: 'x' })
  ],
  'accesses.getOne': [
    {
      name: 'returns an access to its owner',
      kind: 'success',
      params: ({ clients }) => ({ id: clients.get('reader')!.access.id }),
      answer: ({ clients }) => ({ access: clients.get('reader')!.access })
    },
    {
      name: 'returns its history',
      kind: 'success',
      before: updateReader,
      params: ({ clients }) => ({ id: clients.get('reader')!.access.id, includeHistory: true }),
      answer: ({ clients }) => {
        const { id } = clients.get('reader')!.access
        return { access: { id: `${id}:1`, name: 'renamed' }, history: [{ id, name: 'reader' }] }
      },
      after: (_world, { access, history }) => {
        lacks(access, 'serial')
        lacks(history[0], 'token', 'apiEndpoint', 'serial')
      }
    },
    {
      name: 'returns an access to itself',
      kind: 'success',
      by: 'app',
      params: ({ clients }) => ({ id: clients.get('app')!.access.id }),
      answer: ({ clients }) => ({ access: { id: clients.get('app')!.access.id } })
    },
    {
      name: 'refuses an unknown id',
      kind: 'unknown',
      params: { id: 'nowhere' },
      error: 'unknown-resource'
    },
    {
      name: 'refuses an app the accesses of others',
      kind: 'unknown',
      by: 'app',
      params: ({ clients }) => ({ id: clients.get('reader')!.access.id }),
      error: 'unknown-resource'
    },
    {
      name: 'refuses another value of includeHistory',
      kind: 'params',
      params: { id: 'x', includeHistory: 'x' },
      error: 'invalid-parameters-format'
    },
    {
      name: 'refuses shared accesses',
      kind: 'caller',
      by: 'contributor',
      params: ({ clients }) => ({ id: clients.get('contributor')!.access.id }),
      error: 'forbidden'
    },
    ...withoutToken({ id: 'x' })
  ],

  'accesses.update': [
    {
      name: 'returns the access with the id of its new version',
      kind: 'success',
      params: ({ clients }) => ({
        id: clients.get('reader')!.access.id,
        update: { name: 'renamed', permissions: [{ streamId: 'walks', level: 'read' }], expireAfter: 100 }
      }),
      answer: ({ clients, service }) => {
        const { id, token } = clients.get('reader')!.access
        return {
          access: {
            id: `${id}:1`,
            token,
            name: 'renamed',
            permissions: [{ streamId: 'walks', level: 'read' }],
            expires: service.clock.now() + 100
          }
        }
      },
      after: (_world, { access }) => lacks(access, 'serial', 'expireAfter')
    },
    {
      name: 'refuses a former version',
      kind: 'state',
      before: updateReader,
      params: ({ clients }) => ({ id: clients.get('reader')!.access.id, update: {} }),
      error: 'stale-resource',
      match: { data: { currentSerial: Number } }
    },
    {
      name: 'refuses an unknown id',
      kind: 'unknown',
      params: { id: 'x', update: {} },
      error: 'unknown-resource'
    },
    ...[{ token: 'x' }, { expires: 1 }, { expireAfter: -1 }, { name: 5 }].map((update): Scenario => ({
      name: `refuses ${JSON.stringify(update)}`,
      kind: 'params',
      params: ({ clients }) => ({ id: clients.get('reader')!.access.id, update }),
      error: 'invalid-parameters-format'
    })),
    {
      name: 'refuses an app the accesses of others',
      kind: 'caller',
      by: 'app',
      params: ({ clients }) => ({ id: clients.get('restricted')!.access.id, update: {} }),
      error: 'forbidden'
    },
    {
      name: 'refuses shared accesses',
      kind: 'caller',
      by: 'contributor',
      params: ({ clients }) => ({ id: clients.get('contributor')!.access.id, update: {} }),
      error: 'forbidden'
    },
    ...withoutToken({ id: 'x', update: {} })
  ],

  'accesses.delete': [
    {
      name: 'deletes any access for its owner',
      kind: 'success',
      params: ({ clients }) => ({ id: clients.get('restricted')!.access.id }),
      answer: ({ clients }) => ({ accessDeletion: { id: clients.get('restricted')!.access.id } }),
      after: async ({ clients, owner }) => {
        const answer = await clients.get('restricted')!.call('getAccessInfo')
        assert.equal(answer.error.id, 'invalid-access-token')
        const { accessDeletions } = await owner.do('accesses.get', { includeDeletions: true })
        assert.equal(accessDeletions[0].name, 'restricted')
        assert.ok(accessDeletions[0].deleted)
      }
    },
    {
      name: 'lets an access revoke itself',
      kind: 'success',
      by: 'reader',
      params: ({ clients }) => ({ id: clients.get('reader')!.access.id }),
      answer: ({ clients }) => ({ accessDeletion: { id: clients.get('reader')!.access.id } })
    },
    {
      name: 'refuses unknown params',
      kind: 'params',
      params: ({ clients }) => ({ id: clients.get('reader')!.access.id, unheardOf: 1 }),
      error: 'invalid-parameters-format'
    },
    {
      name: 'refuses an unknown id',
      kind: 'unknown',
      params: { id: 'cunknown' },
      error: 'unknown-resource'
    },
    {
      name: 'refuses an access that may not revoke itself',
      kind: 'caller',
      by: 'restricted',
      params: ({ clients }) => ({ id: clients.get('restricted')!.access.id }),
      error: 'forbidden'
    },
    ...(['reader', 'sensor', 'app', 'manager'] as const).map((by): Scenario => ({
      name: `of the access of somebody else is refused to ${by}`,
      kind: 'caller',
      by,
      params: ({ clients }) => ({ id: clients.get('contributor')!.access.id }),
      error: 'forbidden'
    })),
    ...withoutToken({ id: 'any' })
  ],

  'accesses.checkApp': [
    {
      name: 'returns which requested streams exist',
      kind: 'success',
      params: {
        requestingAppId: 'another-app',
        requestedPermissions: [
          { streamId: 'diary', level: 'read', defaultName: 'Notes' },
          { streamId: 'sports', level: 'manage', defaultName: 'Sports' },
          { streamId: '*', level: 'read', defaultName: 'All' },
          { feature: 'selfRevoke', setting: 'forbidden' }
        ]
      },
      answer: {
        checkedPermissions: [
          { streamId: 'diary', level: 'read', name: 'diary' },
          { streamId: 'sports', level: 'manage', defaultName: 'Sports' },
          { streamId: '*', level: 'read' },
          { feature: 'selfRevoke', setting: 'forbidden' }
        ]
      },
      after: (_world, { checkedPermissions }) => {
        lacks(checkedPermissions[0], 'defaultName')
        lacks(checkedPermissions[2], 'defaultName')
      }
    },
    {
      name: 'finds a matching access',
      kind: 'success',
      params: {
        requestingAppId: 'an-app-that-contributes',
        deviceName: 'phone',
        requestedPermissions: [{ streamId: 'diary', level: 'contribute', defaultName: 'Diary' }]
      },
      answer: ({ clients }) => ({ matchingAccess: { token: clients.get('app')!.token } })
    },
    {
      name: 'finds a mismatching access',
      kind: 'success',
      params: {
        requestingAppId: 'an-app-that-contributes',
        deviceName: 'phone',
        requestedPermissions: [{ streamId: 'diary', level: 'manage', defaultName: 'Diary' }]
      },
      answer: ({ clients }) => ({
        checkedPermissions: [{ streamId: 'diary', name: 'diary' }],
        mismatchingAccess: { id: clients.get('app')!.access.id, token: clients.get('app')!.token }
      })
    },
    {
      name: 'proposes another name if a stream already has it',
      kind: 'success',
      params: {
        requestingAppId: 'another-app',
        requestedPermissions: [{ streamId: 'my-diary', level: 'read', defaultName: 'diary' }]
      },
      answer: {
        checkedPermissions: [{ streamId: 'my-diary', defaultName: 'diary (1)' }],
        error: { id: 'item-already-exists' }
      }
    },
    ...[
      {},
      { requestingAppId: 'another-app' },
      { requestingAppId: 'another-app', requestedPermissions: [{ streamId: 'x', level: 'read' }] },
      { requestingAppId: 'another-app', requestedPermissions: [{ streamId: 'x', defaultName: 'X' }] },
      { requestingAppId: 12, requestedPermissions: [] }
    ].map((params): Scenario => ({
      name: `refuses ${JSON.stringify(params)}`,
      kind: 'params',
      params,
      error: 'invalid-parameters-format'
    })),
    ...(['app', 'contributor'] as const).map((by): Scenario => ({
      name: `is refused to ${by}`,
      kind: 'caller',
      by,
      params: { requestingAppId: 'another-app', requestedPermissions: [] },
      error: 'forbidden'
    })),
    ...withoutToken({ requestingAppId: 'another-app', requestedPermissions: [] })
  ]
}
