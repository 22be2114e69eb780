/** Scenarios of the methods on events. (docs/spec/events.md) */
import assert from 'node:assert/strict'
import { lacks, withoutToken, type Contract, type Scenario } from './scenario.js'

const note = { streamIds: ['diary'], type: 'note/txt', content: 'new' }
const unknownId = { params: { id: 'cunknown00000000000000000' }, error: 'unknown-resource' } as const
export const eventScenarios: Contract = {
  'events.get': [
    {
      name: 'returns events, newest first',
      kind: 'success',
      answer: { events: [{ content: 70 }, { content: 'by the lake' }, { content: 'hello' }] }
    },
    {
      name: 'returns all fields of an event',
      kind: 'success',
      params: { limit: 1 },
      answer: ({ events, owner }) => ({
        events: [
          {
            id: events.mass,
            streamIds: ['body'],
            streamId: 'body',
            time: 3000,
            type: 'mass/kg',
            content: 70,
            tags: [],
            created: Number,
            createdBy: owner.access.id,
            modified: Number,
            modifiedBy: owner.access.id
          }
        ]
      })
    },
    {
      name: 'combines ranges, streams, types, order, skip and limit',
      kind: 'success',
      params: {
        fromTime: 0,
        toTime: 2500,
        streams: ['diary'],
        types: ['note/*'],
        sortAscending: true,
        skip: 1,
        limit: 5,
        running: false,
        state: 'default'
      },
      answer: { events: [{ content: 'by the lake' }] }
    },
    {
      name: 'finds periods that started before the range',
      kind: 'success',
      params: { fromTime: 2500, toTime: 2900 },
      answer: { events: [{ content: 'by the lake' }] }
    },
    {
      name: 'accepts a streams query',
      kind: 'success',
      params: { streams: JSON.stringify({ any: ['*'], not: ['walks', 'body'] }) },
      answer: { events: [{ content: 'hello' }] },
      after: (_world, { events }) => assert.equal(events.length, 1)
    },
    {
      name: 'accepts a streams query as an object',
      kind: 'success',
      only: 'batch',
      params: { streams: { any: ['diary'], all: ['walks'] } },
      answer: { events: [{ content: 'by the lake' }] },
      after: (_world, { events }) => assert.equal(events.length, 1)
    },
    {
      name: 'returns trashed events on request',
      kind: 'success',
      params: { state: 'trashed' },
      answer: { events: [{ content: 'in the bin', trashed: true }] },
      after: (_world, { events }) => assert.equal(events.length, 1)
    },
    {
      name: 'returns deletions on request',
      kind: 'success',
      params: { modifiedSince: 0, includeDeletions: true, limit: 1 },
      answer: ({ events }) => ({ events: [{}], eventDeletions: [{ id: events.gone, deleted: Number }] })
    },
    {
      name: 'returns an empty list if there are no events',
      kind: 'success',
      params: { streams: ['body'], types: ['mass/lb'] },
      answer: { events: [] }
    },
    {
      name: 'returns to a restricted access what it may read',
      kind: 'success',
      by: 'restricted',
      answer: { events: [{ content: 'hello' }] },
      after: (_world, { events }) => assert.equal(events.length, 1)
    },
    {
      name: 'returns nothing to a create-only access',
      kind: 'success',
      by: 'sensor',
      answer: { events: [] },
      after: (_world, { events }) => assert.equal(events.length, 0)
    },
    ...[
      { fromTime: 'yesterday' },
      { limit: -1 },
      { limit: 1.5 },
      { skip: -1 },
      { state: 'some' },
      { types: ['notatype'] },
      { sortAscending: 'maybe' },
      { withDeletions: true },
      { unheardOf: 1 }
    ].map((params): Scenario => ({
      name: `refuses ${JSON.stringify(params)}`,
      kind: 'params',
      params,
      error: 'invalid-parameters-format',
      match: { data: [{ code: /^[A-Z_]+$/, message: String, path: /^#/ }] }
    })),
    {
      name: 'refuses unknown streams',
      kind: 'unknown',
      params: { streams: ['diary', 'nowhere'] },
      error: 'unknown-referenced-resource',
      match: { data: { streams: ['nowhere'] } }
    },
    {
      name: 'refuses streams that the caller may not read',
      kind: 'caller',
      by: 'reader',
      params: { streams: ['body'] },
      error: 'forbidden'
    },
    ...withoutToken({})
  ],

  'events.getOne': [
    {
      name: 'returns the event',
      kind: 'success',
      params: ({ events }) => ({ id: events.walk }),
      answer: ({ events }) => ({ event: { id: events.walk, content: 'by the lake', duration: 600 } })
    },
    {
      name: 'returns its history on request',
      kind: 'success',
      params: ({ events }) => ({ id: events.note, includeHistory: true }),
      answer: { event: { content: 'hello' }, history: [] }
    },
    {
      name: 'returns a trashed event',
      kind: 'success',
      by: 'reader',
      params: ({ events }) => ({ id: events.binned }),
      answer: { event: { trashed: true } }
    },
    {
      name: 'returns what remains of a deleted event',
      kind: 'success',
      params: ({ events }) => ({ id: events.gone }),
      answer: ({ events }) => ({ event: { id: events.gone, deleted: Number } })
    },
    {
      name: 'refuses an invalid includeHistory',
      kind: 'params',
      params: ({ events }) => ({ id: events.note, includeHistory: 'perhaps' }),
      error: 'invalid-parameters-format'
    },
    { name: 'refuses an unknown id', kind: 'unknown', ...unknownId },
    ...(['reader', 'restricted', 'sensor'] as const).map((by): Scenario => ({
      name: `is refused to ${by} in streams that are not theirs`,
      kind: 'caller',
      by,
      params: ({ events }) => ({
        id: by === 'restricted' ? events.walk : by === 'reader' ? events.mass : events.note
      }),
      error: 'forbidden'
    })),
    ...withoutToken({ id: 'any' })
  ],

  'events.create': [
    {
      name: 'returns the new event',
      kind: 'success',
      params: { ...note, time: 10, duration: 5, description: 'd', clientData: { a: { b: 1 } } },
      answer: ({ owner }) => ({
        event: {
          ...note,
          id: /^c[a-z0-9]{24}$/,
          streamId: 'diary',
          time: 10,
          duration: 5,
          description: 'd',
          tags: [],
          clientData: { a: { b: 1 } },
          createdBy: owner.access.id,
          modifiedBy: owner.access.id
        }
      }),
      after: async ({ owner }, { event }) => {
        const { event: found } = await owner.do('events.getOne', { id: event.id })
        assert.deepEqual(found, event)
      }
    },
    {
      name: 'uses the server time by default',
      kind: 'success',
      params: note,
      answer: ({ service }) => ({ event: { time: service.clock.now() } })
    },
    {
      name: 'accepts an id from the client',
      kind: 'success',
      params: { ...note, id: 'c0123456789abcdefghijklmn' },
      answer: { event: { id: 'c0123456789abcdefghijklmn' } }
    },
    {
      name: 'accepts a single streamId',
      kind: 'success',
      params: { streamId: 'body', type: 'mass/kg', content: '71.5' },
      answer: { event: { streamId: 'body', streamIds: ['body'], content: 71.5 } }
    },
    {
      name: 'drops duplicate streams',
      kind: 'success',
      params: { ...note, streamIds: ['diary', 'body', 'diary'] },
      answer: { event: { streamIds: ['diary', 'body'] } },
      after: (_world, { event }) => assert.deepEqual(event.streamIds, ['diary', 'body'])
    },
    {
      name: 'accepts null for optional fields',
      kind: 'success',
      params: { ...note, id: null, description: null, clientData: null, trashed: null },
      answer: { event: { content: 'new' } },
      after: (_world, { event }) => lacks(event, 'description', 'clientData', 'trashed', 'duration')
    },
    {
      name: 'accepts create-only accesses',
      kind: 'success',
      by: 'sensor',
      params: { ...note, streamIds: ['walks'] },
      answer: ({ clients }) => ({ event: { createdBy: clients.get('sensor')!.access.id } })
    },
    ...[
      { type: 'note/txt', content: 'x' },
      { ...note, streamIds: [] },
      { ...note, streamIds: 'diary' },
      { streamIds: ['diary'], content: 'x' },
      { ...note, type: 'note' },
      { ...note, type: 12 },
      { ...note, content: 12 },
      { ...note, time: 'now' },
      { ...note, id: 'short' },
      { ...note, description: 12 },
      { ...note, clientData: 'text' },
      { ...note, trashed: 'yes' },
      { ...note, tags: ['x'.repeat(501)] },
      { ...note, unheardOf: 1 },
      { streamIds: ['body'], type: 'mass/kg', content: 'heavy' }
    ].map((params): Scenario => ({
      name: `refuses ${JSON.stringify(params).slice(0, 100)}`,
      kind: 'params',
      params,
      error: 'invalid-parameters-format',
      match: { data: [{ code: /^[A-Z_]+$/, message: String, path: /^#/ }] }
    })),
    {
      name: 'refuses both streamId and streamIds',
      kind: 'params',
      params: { ...note, streamId: 'diary' },
      error: 'invalid-operation'
    },
    {
      name: 'refuses unknown streams',
      kind: 'unknown',
      params: { ...note, streamIds: ['diary', 'nowhere'] },
      error: 'unknown-referenced-resource',
      match: { data: { streamIds: ['nowhere'] } }
    },
    {
      name: 'refuses trashed streams',
      kind: 'state',
      params: { ...note, streamIds: ['attic'] },
      error: 'invalid-operation',
      match: { data: { trashedReference: 'streamIds' } }
    },
    ...(['note', 'gone'] as const).map((which): Scenario => ({
      name: `refuses the id of ${which === 'note' ? 'another' : 'a deleted'} event`,
      kind: 'state',
      params: ({ events }) => ({ ...note, id: events[which] }),
      error: 'item-already-exists',
      match: { data: { id: /^c/ } }
    })),
    ...(['reader', 'restricted'] as const).map((by): Scenario => ({
      name: `is refused to ${by}`,
      kind: 'caller',
      by,
      params: note,
      error: 'forbidden'
    })),
    {
      name: 'refuses unless the caller may write to every stream',
      kind: 'caller',
      by: 'contributor',
      params: { ...note, streamIds: ['diary', 'body'] },
      error: 'forbidden'
    },
    ...withoutToken(note)
  ],

  'events.update': [
    {
      name: 'changes the given fields and keeps the rest',
      kind: 'success',
      params: ({ events }) => ({ id: events.walk, update: { content: 'by the river' } }),
      answer: ({ events }) => ({
        event: { id: events.walk, content: 'by the river', duration: 600, time: 2000, streamIds: ['walks'] }
      }),
      after: async ({ owner }, { event }) => {
        assert.deepEqual((await owner.do('events.getOne', { id: event.id })).event, event)
        assert.ok(event.modified > event.created)
      }
    },
    {
      name: 'merges clientData by key',
      kind: 'success',
      params: ({ events }) => ({ id: events.note, update: { clientData: { a: 1, b: null } } }),
      answer: { event: { clientData: { a: 1 } } }
    },
    {
      name: 'moves to other streams',
      kind: 'success',
      params: ({ events }) => ({ id: events.note, update: { streamIds: ['body'] } }),
      answer: { event: { streamIds: ['body'], streamId: 'body' } }
    },
    {
      name: 'restores from the trash',
      kind: 'success',
      by: 'contributor',
      params: ({ events }) => ({ id: events.binned, update: { trashed: false } }),
      answer: { event: { content: 'in the bin' } },
      after: (_world, { event }) => lacks(event, 'trashed')
    },
    {
      name: 'removes a field set to null',
      kind: 'success',
      params: ({ events }) => ({ id: events.walk, update: { description: null, clientData: null } }),
      answer: { event: {} },
      after: (_world, { event }) => lacks(event, 'description', 'clientData')
    },
    ...[
      { content: 12 },
      { type: 'mass/kg' },
      { type: null },
      { time: 'now' },
      { streamIds: [] },
      { trashed: 'yes' },
      { tags: ['x'.repeat(501)] },
      { unheardOf: 1 }
    ].map((update): Scenario => ({
      name: `refuses ${JSON.stringify(update).slice(0, 100)}`,
      kind: 'params',
      params: ({ events }) => ({ id: events.note, update }),
      error: 'invalid-parameters-format'
    })),
    {
      name: 'refuses an update that is not an object',
      kind: 'params',
      params: ({ events }) => ({ id: events.note, update: [1] }),
      error: 'invalid-parameters-format'
    },
    {
      name: 'requires an update',
      kind: 'params',
      only: 'batch',
      params: ({ events }) => ({ id: events.note }),
      error: 'invalid-parameters-format'
    },
    ...[
      { id: 'c0123456789abcdefghijklmn' },
      { created: 1 },
      { modifiedBy: 'me' },
      { attachments: [] },
      { integrity: 'x' }
    ].map((update): Scenario => ({
      name: `protects ${Object.keys(update)[0]}`,
      kind: 'params',
      params: ({ events }) => ({ id: events.note, update }),
      error: 'forbidden'
    })),
    {
      name: 'refuses an unknown id',
      kind: 'unknown',
      params: { ...unknownId.params, update: { content: 'x' } },
      error: 'unknown-resource'
    },
    {
      name: 'refuses a deleted event',
      kind: 'unknown',
      params: ({ events }) => ({ id: events.gone, update: { content: 'x' } }),
      error: 'unknown-resource'
    },
    {
      name: 'refuses unknown streams',
      kind: 'unknown',
      params: ({ events }) => ({ id: events.note, update: { streamIds: ['nowhere'] } }),
      error: 'unknown-referenced-resource'
    },
    {
      name: 'refuses to turn an event into a series',
      kind: 'state',
      params: ({ events }) => ({ id: events.mass, update: { type: 'series:mass/kg', content: null } }),
      error: 'invalid-operation'
    },
    {
      name: 'refuses trashed streams',
      kind: 'state',
      params: ({ events }) => ({ id: events.note, update: { streamIds: ['diary', 'attic'] } }),
      error: 'invalid-operation'
    },
    ...(['reader', 'sensor', 'restricted'] as const).map((by): Scenario => ({
      name: `is refused to ${by}`,
      kind: 'caller',
      by,
      params: ({ events }) => ({ id: events.note, update: { content: 'x' } }),
      error: 'forbidden'
    })),
    {
      name: 'refuses streams that the caller may not write to',
      kind: 'caller',
      by: 'contributor',
      params: ({ events }) => ({ id: events.note, update: { streamIds: ['diary', 'body'] } }),
      error: 'forbidden'
    },
    ...withoutToken({ id: 'any', update: {} })
  ],

  'events.delete': [
    {
      name: 'moves to the trash first',
      kind: 'success',
      params: ({ events }) => ({ id: events.note }),
      answer: ({ events }) => ({ event: { id: events.note, trashed: true } })
    },
    {
      name: 'then deletes',
      kind: 'success',
      by: 'app',
      params: ({ events }) => ({ id: events.binned }),
      answer: ({ events }) => ({ eventDeletion: { id: events.binned } }),
      after: async ({ owner, events }) =>
        assert.deepEqual(
          Object.keys((await owner.do('events.getOne', { id: events.binned })).event).toSorted(),
          ['deleted', 'id', 'integrity']
        )
    },
    {
      name: 'refuses unknown params',
      kind: 'params',
      params: ({ events }) => ({ id: events.note, unheardOf: true }),
      error: 'invalid-parameters-format'
    },
    { name: 'refuses an unknown id', kind: 'unknown', ...unknownId },
    {
      name: 'refuses a deleted event',
      kind: 'unknown',
      params: ({ events }) => ({ id: events.gone }),
      error: 'unknown-resource'
    },
    ...(['reader', 'sensor', 'restricted'] as const).map((by): Scenario => ({
      name: `is refused to ${by}`,
      kind: 'caller',
      by,
      params: ({ events }) => ({ id: events.note }),
      error: 'forbidden'
    })),
    ...withoutToken({ id: 'any' })
  ]
}
