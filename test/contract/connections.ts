/** Scenarios of the methods on connections. (docs/api/connections.md) */
import assert from 'node:assert/strict'
import { closedToOthers, lacks, tooLong, withoutToken, type Contract, type Scenario } from './scenario.js'
import type { World } from './world.js'

const phone = { dialect: 'owntracks', name: 'phone' }
const invalid = { error: 'invalid-parameters-format' } as const

/** Connects the phone unless it is connected already: worlds for refusals are reused. */
async function connect(world: World): Promise<void> {
  if (world.connectionId !== '') return
  world.connectionId = (await world.owner.do('connections.create', phone)).connection.id
}

/** Connects an app of any JSON, from which a body waits for a mapping. */
async function awaitMapping(world: World): Promise<void> {
  // Its name may be taken if the world is reused.
  const { connections } = await world.owner.do('connections.get')
  const known = connections.find(({ dialect }: { dialect: string }) => dialect === 'json')
  if (known) {
    world.connectionId = known.id
    return
  }
  const { connection } = await world.owner.do('connections.create', { dialect: 'json', name: 'hook' })
  world.connectionId = connection.id
  const { status } = await world.owner.service.http(
    'POST',
    `/${world.owner.username}/from/json/~${connection.token}`,
    { list: [{ at: 1700000000, kg: 71.5 }, { at: 1700000060 }, { kg: 70 }] }
  )
  assert.equal(status, 200)
}

const weight = { time: '/at', value: '/kg', type: 'mass/kg', measure: 'weight', stream: 'Weight' }

const unheard = { lastHeard: null, received: 0, notUnderstood: {}, lastProblem: null }

const changed = ({ connectionId }: World, update: object): object => ({ id: connectionId, update })

export const connectionScenarios: Contract = {
  'connections.create': [
    {
      name: 'returns the connection, its token and a link',
      kind: 'success',
      params: phone,
      answer: {
        connection: {
          ...phone,
          ...unheard,
          id: /^c[a-z0-9]{24}$/,
          token: /^c[a-z0-9]{24}$/,
          url: /\/from\/owntracks$/,
          link: /^owntracks:\/\/\/config\?inline=/,
          parentId: null,
          sensitive: false,
          hasPassphrase: false
        }
      },
      after: async ({ owner }, { connection }) => {
        const { accesses } = await owner.do('accesses.get')
        const access = accesses.find(({ id }: { id: string }) => id === connection.accessId)
        assert.equal(access.type, 'app')
        assert.deepEqual(access.permissions, [{ streamId: connection.streamId, level: 'create-only' }])
        assert.equal(access.token, connection.token)
      }
    },
    {
      name: 'returns an address with the token for apps that know only an address',
      kind: 'success',
      params: { dialect: 'osmand', name: 'bike', parentId: 'diary' },
      answer: { connection: { url: /\/from\/osmand\/~c[a-z0-9]{24}$/, parentId: 'diary' } },
      after: (_world, { connection }) => {
        assert.ok(connection.url.endsWith(connection.token))
        lacks(connection, 'link')
      }
    },
    {
      name: 'does not return a passphrase',
      kind: 'success',
      params: { ...phone, name: 'tablet', passphrase: 'open sesame', sensitive: true },
      answer: { connection: { hasPassphrase: true, sensitive: true } },
      after: (_world, { connection }) => lacks(connection, 'passphrase')
    },
    ...[
      {},
      { name: 'phone' },
      { dialect: 'owntracks' },
      { ...phone, dialect: 'unheard-of' },
      { ...phone, dialect: 12 },
      { ...phone, name: '' },
      { ...phone, sensitive: 'yes' },
      { ...phone, passphrase: '' },
      { ...phone, unheardOf: 1 }
    ].map((params): Scenario => ({
      name: `refuses ${JSON.stringify(params)}`,
      kind: 'params',
      params,
      ...invalid
    })),
    {
      name: 'refuses a name that is too long',
      kind: 'params',
      params: { ...phone, name: 'x'.repeat(1025) },
      ...tooLong('#/name')
    },
    {
      name: 'refuses an unknown parent',
      kind: 'unknown',
      params: { ...phone, parentId: 'nowhere' },
      error: 'unknown-referenced-resource'
    },
    {
      name: 'refuses a parent in the trash',
      kind: 'state',
      params: { ...phone, parentId: 'attic' },
      error: 'invalid-operation'
    },
    {
      name: 'refuses a second connection of the same app and name',
      kind: 'state',
      before: connect,
      params: phone,
      error: 'item-already-exists'
    },
    ...closedToOthers({ dialect: 'owntracks', name: 'other' }),
    ...withoutToken(phone)
  ],

  'connections.get': [
    {
      name: 'returns the newest first, without tokens',
      kind: 'success',
      before: async world => {
        await connect(world)
        await world.owner.do('connections.create', { dialect: 'overland', name: 'tablet' })
      },
      answer: { connections: [{ name: 'tablet' }, { ...phone, ...unheard, url: /\/from\/owntracks$/ }] },
      after: (_world, { connections, dialects }) => {
        assert.equal(new Set(dialects.map(({ id }: { id: string }) => id)).size, dialects.length)
        for (const id of ['owntracks', 'overland', 'osmand'])
          assert.match(dialects.find((each: { id: string }) => each.id === id).name, /^O/)
        for (const connection of connections) lacks(connection, 'token', 'link', 'passphrase')
      }
    },
    { name: 'refuses unknown params', kind: 'params', params: { unheardOf: 1 }, ...invalid },
    ...closedToOthers(),
    ...withoutToken()
  ],

  'connections.getOne': [
    {
      name: 'returns a connection without its token',
      kind: 'success',
      before: connect,
      params: ({ connectionId }) => ({ id: connectionId }),
      answer: ({ connectionId }) => ({ connection: { ...phone, ...unheard, id: connectionId } }),
      after: (_world, { connection }) => lacks(connection, 'token', 'link', 'passphrase')
    },
    { name: 'refuses unknown params', kind: 'params', params: { id: 'any', unheardOf: 1 }, ...invalid },
    { name: 'refuses an unknown id', kind: 'unknown', params: { id: 'cunknown' }, error: 'unknown-resource' },
    ...closedToOthers({ id: 'any' }),
    ...withoutToken({ id: 'any' })
  ],

  'connections.update': [
    {
      name: 'renames a connection, and its access',
      kind: 'success',
      before: connect,
      params: world => changed(world, { name: 'tablet', sensitive: true, passphrase: 'open sesame' }),
      answer: { connection: { name: 'tablet', sensitive: true, hasPassphrase: true } },
      after: async ({ owner }, { connection }) => {
        const { accesses } = await owner.do('accesses.get')
        const access = accesses.find(({ id }: { id: string }) => id === connection.accessId)
        assert.equal(access.deviceName, 'tablet')
      }
    },
    {
      name: 'removes the passphrase',
      kind: 'success',
      before: async world => {
        await connect(world)
        await world.owner.do('connections.update', changed(world, { passphrase: 'open sesame' }))
      },
      params: world => changed(world, { passphrase: null }),
      answer: { connection: { name: 'phone', hasPassphrase: false } }
    },
    ...[{ name: '' }, { name: null }, { sensitive: 1 }, { unheardOf: 1 }].map((update): Scenario => ({
      name: `refuses ${JSON.stringify(update)}`,
      kind: 'params',
      before: connect,
      params: world => changed(world, update),
      ...invalid
    })),
    ...['id', 'dialect', 'streamId', 'received', 'token'].map((field): Scenario => ({
      name: `protects ${field}`,
      kind: 'params',
      before: connect,
      params: world => changed(world, { [field]: 'other' }),
      error: 'forbidden',
      match: { data: { protectedFields: [field] } }
    })),
    {
      name: 'refuses the name of another connection of the same app',
      kind: 'state',
      before: async world => {
        await connect(world)
        // It exists already if the world is reused.
        await world.owner.call('connections.create', { ...phone, name: 'watch' })
      },
      params: world => changed(world, { name: 'watch' }),
      error: 'item-already-exists'
    },
    {
      name: 'refuses an unknown id',
      kind: 'unknown',
      params: { id: 'cunknown', update: { name: 'tablet' } },
      error: 'unknown-resource'
    },
    ...closedToOthers({ id: 'any', update: { name: 'tablet' } }),
    ...withoutToken({ id: 'any', update: {} })
  ],

  'connections.preview': [
    {
      name: 'shows what a mapping makes of waiting bodies, and stores nothing',
      kind: 'success',
      before: awaitMapping,
      params: ({ connectionId }) => ({ id: connectionId, mapping: { ...weight, items: '/list' } }),
      answer: {
        values: [
          {
            time: 1700000000,
            type: 'mass/kg',
            stream: 'Weight',
            source: 'hook',
            measure: 'weight',
            content: 71.5
          }
        ],
        notUnderstood: { kg: 2 }
      },
      after: async ({ connectionId, owner }, { values }) => {
        assert.equal(values.length, 1)
        const { connection } = await owner.do('connections.getOne', { id: connectionId })
        assert.equal(connection.waiting.length, 1)
        lacks(connection, 'mapping')
      }
    },
    ...[
      {},
      { mapping: null },
      { mapping: [] },
      { mapping: { type: 'mass/kg' } },
      { mapping: { ...weight, value: 'kg' } },
      { mapping: { ...weight, fields: {} } },
      { mapping: { ...weight, fields: { latitude: 'lat' } } },
      { mapping: { ...weight, fields: { 'not a name': '/lat' } } },
      { mapping: { ...weight, type: 'un/known' } },
      { mapping: { ...weight, measure: 'unheard-of' } },
      { mapping: { ...weight, measure: 'heart-rate' } },
      { mapping: { ...weight, zone: 'Nowhere/Else' } },
      { mapping: weight, unheardOf: 1 }
    ].map((params): Scenario => ({
      name: `refuses ${JSON.stringify(params)}`,
      kind: 'params',
      before: awaitMapping,
      params: ({ connectionId }) => ({ id: connectionId, ...params }),
      ...invalid
    })),
    {
      name: 'refuses connections of apps that need no mapping',
      kind: 'params',
      before: async world => {
        world.connectionId = ''
        await connect(world)
      },
      params: ({ connectionId }) => ({ id: connectionId, mapping: weight }),
      ...invalid
    },
    {
      name: 'refuses an unknown id',
      kind: 'unknown',
      params: { id: 'cunknown', mapping: weight },
      error: 'unknown-resource'
    },
    ...closedToOthers({ id: 'any', mapping: weight }),
    ...withoutToken({ id: 'any', mapping: weight })
  ],

  'connections.delete': [
    {
      name: 'ends a connection, only once',
      kind: 'success',
      before: connect,
      params: ({ connectionId }) => ({ id: connectionId }),
      answer: ({ connectionId }) => ({ connectionDeletion: { id: connectionId } }),
      after: async ({ owner, connectionId }) => {
        assert.deepEqual((await owner.do('connections.get')).connections, [])
        const { error } = await owner.call('connections.delete', { id: connectionId })
        assert.equal(error.id, 'unknown-resource')
        const { accesses } = await owner.do('accesses.get')
        assert.ok(accesses.every(({ name }: { name: string }) => name !== 'OwnTracks'))
        await owner.do('connections.create', phone)
      }
    },
    { name: 'refuses unknown params', kind: 'params', params: { id: 'any', unheardOf: 1 }, ...invalid },
    { name: 'refuses an unknown id', kind: 'unknown', params: { id: 'cunknown' }, error: 'unknown-resource' },
    ...closedToOthers({ id: 'any' }),
    ...withoutToken({ id: 'any' })
  ]
}
