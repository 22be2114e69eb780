/** Scenarios of the methods on streams. (docs/spec/streams.md) */
import assert from 'node:assert/strict'
import { lacks, tooLong, withoutToken, type Contract, type Scenario } from './scenario.js'

const others = ['reader', 'contributor', 'sensor', 'restricted', 'app'] as const

export const streamScenarios: Contract = {
  'streams.get': [
    {
      name: "returns the tree sorted by name, with the service's own streams around it",
      kind: 'success',
      answer: {
        streams: [
          { id: ':_audit:', name: 'Audit store', parentId: null, children: [], childrenHidden: true },
          { id: 'body', name: 'body', parentId: null, children: [], created: Number, modified: Number },
          { id: 'diary', children: [{ id: 'walks', parentId: 'diary', children: [] }] }
        ]
      },
      after: (_world, { streams }) =>
        assert.deepEqual(
          streams.slice(3).map(({ id }: { id: string }) => id),
          [':_system:account', ':_system:helpers']
        )
    },
    {
      name: 'returns trashed streams on request',
      kind: 'success',
      params: { state: 'all' },
      answer: { streams: [{}, { id: 'attic', trashed: true }, { id: 'body' }, { id: 'diary' }] }
    },
    {
      name: 'starts below a parent',
      kind: 'success',
      params: { parentId: 'diary' },
      answer: { streams: [{ id: 'walks' }] }
    },
    {
      name: 'returns deletions on request',
      kind: 'success',
      params: { includeDeletionsSince: 0 },
      answer: { streams: [{}, { id: 'body' }, { id: 'diary' }], streamDeletions: [] }
    },
    {
      name: 'returns to a restricted access only its streams',
      kind: 'success',
      by: 'restricted',
      answer: { streams: [{ id: 'diary', children: [] }] },
      after: (_world, { streams }) => assert.equal(streams.length, 1)
    },
    {
      name: 'accepts create-only accesses',
      kind: 'success',
      by: 'sensor',
      answer: { streams: [{ id: 'diary', children: [{ id: 'walks' }] }] }
    },
    ...[{ state: 'some' }, { state: 'trashed' }, { includeDeletionsSince: 'ever' }, { unheardOf: 1 }].map(
      (params): Scenario => ({
        name: `refuses ${JSON.stringify(params)}`,
        kind: 'params',
        params,
        error: 'invalid-parameters-format'
      })
    ),
    {
      name: 'refuses an unknown parent',
      kind: 'unknown',
      params: { parentId: 'nowhere' },
      error: 'unknown-referenced-resource'
    },
    {
      name: 'refuses a parent that the caller may not list',
      kind: 'caller',
      by: 'reader',
      params: { parentId: 'body' },
      error: 'forbidden'
    },
    ...withoutToken()
  ],

  'streams.create': [
    {
      name: 'returns the new stream',
      kind: 'success',
      params: { id: 'runs', name: 'Runs', parentId: 'diary', clientData: { a: 1 } },
      answer: ({ owner }) => ({
        stream: {
          id: 'runs',
          name: 'Runs',
          parentId: 'diary',
          clientData: { a: 1 },
          createdBy: owner.access.id,
          created: Number,
          modified: Number
        }
      })
    },
    {
      name: 'generates an id and creates a root stream by default',
      kind: 'success',
      params: { name: 'Runs' },
      answer: { stream: { id: /^c[a-z0-9]{24}$/, parentId: null } }
    },
    {
      name: 'accepts null for optional fields',
      kind: 'success',
      params: { id: null, name: 'Rides', parentId: null, clientData: null, trashed: null },
      answer: { stream: { parentId: null } },
      after: (_world, { stream }) => lacks(stream, 'clientData', 'trashed')
    },
    {
      name: 'slugifies ids',
      kind: 'success',
      params: { id: 'Über alles', name: 'x' },
      answer: { stream: { id: 'Uber-alles' } }
    },
    {
      name: 'accepts size as an id',
      kind: 'success',
      params: { id: 'size', name: 'sizes' },
      answer: { stream: { id: 'size' } }
    },
    {
      name: 'accepts an existing name below another parent',
      kind: 'success',
      params: { name: 'walks', parentId: 'body' },
      answer: { stream: { name: 'walks', parentId: 'body' } }
    },
    {
      name: 'accepts callers that manage the parent',
      kind: 'success',
      by: 'manager',
      params: { name: 'Runs', parentId: 'walks' },
      answer: ({ clients }) => ({ stream: { createdBy: clients.get('manager')!.access.id } })
    },
    ...[
      {},
      { id: 'x' },
      { name: '' },
      { name: 12 },
      { name: 'x', parentId: '' },
      { name: 'x', parentId: 12 },
      { name: 'x', clientData: [] },
      { name: 'x', children: [{ name: 'y' }] },
      { name: 'x', singleActivity: true },
      { name: 'x', unheardOf: 1 }
    ].map((params): Scenario => ({
      name: `refuses ${JSON.stringify(params)}`,
      kind: 'params',
      params,
      error: 'invalid-parameters-format',
      match: { data: [{ code: /^[A-Z_]+$/, message: String, path: /^#/ }] }
    })),
    {
      name: 'accepts a name of 1024 characters',
      kind: 'success',
      params: { name: '\u{1f600}'.repeat(1024) },
      answer: { stream: { name: '\u{1f600}'.repeat(1024) } }
    },
    {
      name: 'refuses a longer name',
      kind: 'params',
      params: { name: 'é'.repeat(1025) },
      ...tooLong('#/name')
    },
    ...['null', '*', 'undefined', '???'].map((id): Scenario => ({
      name: `refuses the id ${id}`,
      kind: 'params',
      params: { id, name: 'x' },
      error: 'invalid-item-id'
    })),
    ...[
      { params: { id: 'body', name: 'x' }, data: { id: 'body' } },
      { params: { id: 'attic', name: 'x' }, data: { id: 'attic' } },
      { params: { name: 'body' }, data: { name: 'body' } },
      { params: { name: 'walks', parentId: 'diary' }, data: { name: 'walks' } }
    ].map(({ params, data }): Scenario => ({
      name: `refuses ${JSON.stringify(params)}, which is there already`,
      kind: 'state',
      params,
      error: 'item-already-exists',
      match: { data }
    })),
    {
      name: 'refuses an unknown parent',
      kind: 'unknown',
      params: { name: 'x', parentId: 'nowhere' },
      error: 'unknown-referenced-resource',
      match: { data: { parentId: 'nowhere' } }
    },
    {
      name: 'refuses a trashed parent',
      kind: 'state',
      params: { name: 'x', parentId: 'attic' },
      error: 'invalid-operation'
    },
    ...[...others, 'manager' as const].map((by): Scenario => ({
      name: `of a root is refused to ${by}`,
      kind: 'caller',
      by,
      params: { name: 'x' },
      error: 'forbidden'
    })),
    ...others.map((by): Scenario => ({
      name: `is refused to ${by}`,
      kind: 'caller',
      by,
      params: { name: 'x', parentId: 'diary' },
      error: 'forbidden'
    })),
    ...withoutToken({ name: 'x' })
  ],

  'streams.update': [
    {
      name: 'changes the given fields and keeps the rest, and returns no children',
      kind: 'success',
      params: { id: 'diary', update: { name: 'My diary', clientData: { a: 1 } } },
      answer: { stream: { id: 'diary', name: 'My diary', parentId: null, clientData: { a: 1 } } },
      after: (_world, { stream }) => {
        lacks(stream, 'children', 'trashed')
        assert.ok(stream.modified > stream.created)
      }
    },
    {
      name: 'moves',
      kind: 'success',
      params: { id: 'walks', update: { parentId: 'body' } },
      answer: { stream: { parentId: 'body' } },
      after: async ({ owner }) => {
        const { streams } = await owner.do('streams.get', { parentId: 'body' })
        assert.equal(streams[0].id, 'walks')
      }
    },
    {
      name: 'moves to the root',
      kind: 'success',
      params: { id: 'walks', update: { parentId: null } },
      answer: { stream: { parentId: null } }
    },
    {
      name: 'restores from the trash',
      kind: 'success',
      params: { id: 'attic', update: { trashed: false } },
      answer: { stream: { id: 'attic' } },
      after: (_world, { stream }) => lacks(stream, 'trashed')
    },
    {
      name: 'accepts callers that manage the stream',
      kind: 'success',
      by: 'manager',
      params: { id: 'diary', update: { name: 'Ours' } },
      answer: { stream: { name: 'Ours' } }
    },
    ...[{ name: '' }, { name: 12 }, { parentId: '' }, { clientData: 'x' }, { trashed: 'x' }].map(
      (update): Scenario => ({
        name: `refuses ${JSON.stringify(update)}`,
        kind: 'params',
        params: { id: 'walks', update },
        error: 'invalid-parameters-format'
      })
    ),
    {
      name: 'refuses a name of more than 1024 characters',
      kind: 'params',
      params: { id: 'walks', update: { name: 'é'.repeat(1025) } },
      ...tooLong(/\/name$/)
    },
    {
      name: 'refuses singleActivity',
      kind: 'params',
      params: { id: 'walks', update: { singleActivity: true } },
      error: 'invalid-parameters-format'
    },
    ...[{ id: 'other' }, { created: 1 }, { createdBy: 'me' }, { modified: 1 }, { children: [] }].map(
      (update): Scenario => ({
        name: `protects ${Object.keys(update)[0]}`,
        kind: 'params',
        params: { id: 'walks', update },
        error: 'forbidden'
      })
    ),
    {
      name: 'refuses an unknown stream',
      kind: 'unknown',
      params: { id: 'nowhere', update: { name: 'x' } },
      error: 'unknown-resource'
    },
    {
      name: 'refuses an unknown parent',
      kind: 'unknown',
      params: { id: 'walks', update: { parentId: 'nowhere' } },
      error: 'unknown-referenced-resource'
    },
    ...['diary', 'walks', 'attic'].map((parentId): Scenario => ({
      name: `refuses ${parentId} as the parent of diary`,
      kind: 'state',
      params: { id: 'diary', update: { parentId } },
      error: 'invalid-operation'
    })),
    {
      name: 'refuses the name of a sibling',
      kind: 'state',
      params: { id: 'diary', update: { name: 'body' } },
      error: 'item-already-exists',
      match: { data: { name: 'body' } }
    },
    ...others.map((by): Scenario => ({
      name: `is refused to ${by}`,
      kind: 'caller',
      by,
      params: { id: 'walks', update: { name: 'x' } },
      error: 'forbidden'
    })),
    {
      name: 'refuses a parent that the caller does not manage',
      kind: 'caller',
      by: 'manager',
      params: { id: 'walks', update: { parentId: 'body' } },
      error: 'forbidden'
    },
    ...withoutToken({ id: 'diary', update: {} })
  ],

  'streams.delete': [
    {
      name: 'moves to the trash first',
      kind: 'success',
      params: { id: 'walks' },
      answer: { stream: { id: 'walks', trashed: true } }
    },
    {
      name: 'then deletes',
      kind: 'success',
      params: { id: 'attic' },
      answer: { streamDeletion: { id: 'attic' } },
      after: async ({ owner }) => {
        const { streams, streamDeletions } = await owner.do('streams.get', {
          state: 'all',
          includeDeletionsSince: 0
        })
        assert.ok(!streams.some(({ id }: { id: string }) => id === 'attic'))
        assert.equal(streamDeletions[0].id, 'attic')
        await owner.stream('attic')
      }
    },
    {
      name: 'accepts callers that manage the stream',
      kind: 'success',
      by: 'manager',
      params: { id: 'diary' },
      answer: { stream: { id: 'diary', trashed: true } }
    },
    ...[{ mergeEventsWithParent: 'perhaps' }, { unheardOf: 1 }].map((params): Scenario => ({
      name: `refuses ${JSON.stringify(params)}`,
      kind: 'params',
      params: { id: 'walks', ...params },
      error: 'invalid-parameters-format'
    })),
    {
      name: 'refuses an unknown stream',
      kind: 'unknown',
      params: { id: 'nowhere' },
      error: 'unknown-resource'
    },
    ...others.map((by): Scenario => ({
      name: `is refused to ${by}`,
      kind: 'caller',
      by,
      params: { id: 'walks' },
      error: 'forbidden'
    })),
    ...withoutToken({ id: 'walks' })
  ]
}
