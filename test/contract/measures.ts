/** Scenarios of the methods that read measures. (docs/api/measure-methods.md) */
import assert from 'node:assert/strict'
import { withoutToken, type Contract, type Scenario } from './scenario.js'
import type { World } from './world.js'

const range = { measure: 'weight', fromTime: 0, toTime: 4000, parts: 4 }
const dates = { measure: 'weight', from: '1970-01-01', to: '1970-01-02' }
const compared = { ...dates, other: 'note' }
const own = { id: 'dog', name: 'Rex', icon: 'dog', hue: 30, kind: 'level', types: ['mass/kg'] }

/** Adds weights of a second source, in pounds. */
async function addScale({ owner }: World): Promise<void> {
  await owner.stream('scale')
  await owner.event({ time: 3500, streamIds: ['scale'], type: 'mass/lb', content: 154 })
  await owner.event({ time: 3600, streamIds: ['scale'], type: 'mass/lb', content: 156 })
}

async function addOwn({ owner }: World): Promise<void> {
  await owner.do('profile.updatePrivate', { update: { 'coffer:measures': [own, { id: 'broken' }, 'x'] } })
}

const refusedScopes = (method: object): Scenario[] => [
  {
    name: 'refuses an unknown measure',
    kind: 'unknown',
    params: { ...method, ...('measure' in method ? { measure: 'luck' } : { measures: ['luck'] }) },
    error: 'unknown-referenced-resource'
  },
  {
    name: 'refuses streams of the audit log',
    kind: 'state',
    params: { ...method, streams: [':_audit:accesses'] },
    error: 'invalid-operation'
  },
  {
    name: 'refuses an unknown stream',
    kind: 'unknown',
    params: { ...method, streams: ['nowhere'] },
    error: 'unknown-referenced-resource'
  },
  {
    name: 'refuses a stream that the caller may not read',
    kind: 'caller',
    by: 'reader',
    params: { ...method, streams: ['body'] },
    error: 'forbidden'
  },
  ...withoutToken(method)
]

const refusedParams = (all: readonly object[]): Scenario[] =>
  all.map(params => ({
    name: `refuses ${JSON.stringify(params).slice(0, 90)}`,
    kind: 'params',
    params,
    error: 'invalid-parameters-format'
  }))

export const measureScenarios: Contract = {
  'measures.get': [
    {
      name: 'returns the measures with these ids',
      kind: 'success',
      params: { ids: ['weight'] },
      answer: { measures: [{ id: 'weight', category: 'body', names: { en: 'Weight' }, kind: 'level' }] }
    },
    {
      name: 'adds those of the user, and ignores malformed ones',
      kind: 'success',
      before: addOwn,
      answer: {},
      after: (_world, { measures }) => {
        assert.deepEqual(measures.at(-1), own)
        assert.ok(measures.every(({ id }: { id: string }) => id !== 'broken'))
      }
    },
    {
      name: 'does not reveal those of the user to others',
      kind: 'success',
      by: 'manager',
      before: addOwn,
      answer: {},
      after: (_world, { measures }) => assert.ok(measures.every(({ id }: { id: string }) => id !== 'dog'))
    },
    ...refusedParams([{ ids: ['No'] }, { category: 'body' }]),
    {
      name: 'refuses an unknown measure',
      kind: 'unknown',
      params: { ids: ['luck'] },
      error: 'unknown-referenced-resource'
    },
    ...withoutToken()
  ],

  'measures.facts': [
    {
      name: 'returns the latest value and the sources',
      kind: 'success',
      params: { measures: ['weight'] },
      before: addScale,
      answer: {
        facts: [
          {
            measure: 'weight',
            count: 3,
            first: 3000,
            last: 3600,
            latest: { time: 3600, streamId: 'scale', type: 'mass/lb', content: 156, unit: 'mass/kg' },
            sources: [
              { streamId: 'scale', type: 'mass/lb', count: 2, first: 3500, last: 3600 },
              { streamId: 'body', type: 'mass/kg', count: 1, first: 3000, last: 3000 }
            ]
          }
        ]
      },
      after: (_world, { facts }) => assert.ok(Math.abs(facts[0].latest.value - 70.760413) < 1e-5)
    },
    {
      name: 'counts what has been created since a time',
      kind: 'success',
      params: { measures: ['weight'], createdSince: 1e12 },
      before: addScale,
      answer: { facts: [] },
      after: (_world, { facts }) => assert.deepEqual(facts, [])
    },
    {
      name: 'returns to a restricted access what it may read',
      kind: 'success',
      by: 'restricted',
      answer: {},
      after: (_world, { facts }) =>
        assert.deepEqual(
          facts.map(({ count, measure }: { count: number; measure: string }) => [measure, count]),
          [['note', 1]]
        )
    },
    {
      name: 'returns nothing to a create-only access',
      kind: 'success',
      by: 'sensor',
      answer: { facts: [] },
      after: (_world, { facts }) => assert.deepEqual(facts, [])
    },
    ...refusedParams([{ measures: ['A'] }, { types: ['mass/kg'] }]),
    ...refusedScopes({})
  ],

  'measures.sample': [
    {
      name: 'merges sources, in one unit',
      kind: 'success',
      params: range,
      before: addScale,
      answer: { samples: [{ time: 3000, count: 2, source: 'scale' }] },
      after: (_world, { samples }) => {
        assert.equal(samples.length, 1)
        assert.ok(Math.abs(samples[0].mean - 70.3068) < 1e-3)
      }
    },
    {
      name: 'follows the order of the user',
      kind: 'success',
      params: range,
      before: async world => {
        await addScale(world)
        await world.owner.do('profile.updatePrivate', { update: { 'coffer:sources': { weight: ['body'] } } })
      },
      answer: { samples: [{ time: 3000, count: 1, min: 70, max: 70, mean: 70, source: 'body' }] }
    },
    {
      name: 'returns each source',
      kind: 'success',
      params: { ...range, merge: 'each', unit: 'mass/lb' },
      before: addScale,
      answer: {
        sources: [
          { streamId: 'scale', samples: [{ time: 3000, count: 2, min: 154, max: 156, mean: 155 }] },
          { streamId: 'body', samples: [{ time: 3000, count: 1 }] }
        ]
      }
    },
    {
      name: 'returns the last numbers, of any source',
      kind: 'success',
      params: { ...range, last: true },
      before: async world => {
        await addScale(world)
        await world.owner.do('profile.updatePrivate', { update: { 'coffer:sources': { weight: ['body'] } } })
      },
      answer: { samples: [{ time: 3000, source: 'scale' }] },
      after: (_world, { samples: [sample, ...others] }) => {
        assert.deepEqual(others, [])
        assert.deepEqual(Object.keys(sample), ['time', 'last', 'source'])
        assert.ok(Math.abs(sample.last - 70.760413) < 1e-5)
      }
    },
    {
      name: 'returns nothing to a restricted access that may not read the source',
      kind: 'success',
      by: 'restricted',
      params: range,
      answer: { samples: [] },
      after: (_world, { samples }) => assert.deepEqual(samples, [])
    },
    ...refusedParams([
      { ...range, parts: 0 },
      { ...range, parts: 4001 },
      { ...range, toTime: 0 },
      { ...range, fromTime: 'ever' },
      { ...range, merge: 'all' },
      { ...range, last: 'yes' },
      { ...range, unit: 'length/m' },
      { ...range, zone: 'Nowhere/City' },
      { ...range, measure: 'steps', toTime: 1e12 },
      { fromTime: 0, toTime: 4000, parts: 4 },
      { ...range, state: 'all' }
    ]),
    ...refusedScopes(range)
  ],

  'measures.around': [
    {
      name: 'compares the days around an event',
      kind: 'success',
      params: ({ events }) => ({ measure: 'weight', eventId: events.note }),
      answer: {
        around: [{ events: 1, before: { count: 0 }, after: { count: 0 }, warnings: ['few'] }]
      }
    },
    {
      name: 'compares the days around all events of a type in a stream',
      kind: 'success',
      params: { measure: 'weight', streamId: 'diary', type: 'note/txt', before: 7, after: 7 },
      answer: { around: [{ events: 1 }] }
    },
    {
      name: 'refuses an unknown event',
      kind: 'unknown',
      params: { measure: 'weight', eventId: 'nothing' },
      error: 'unknown-referenced-resource'
    },
    {
      name: 'refuses an event that the caller may not read',
      kind: 'caller',
      by: 'reader',
      params: ({ events }) => ({ measure: 'weight', eventId: events.mass }),
      error: 'forbidden'
    },
    {
      name: 'refuses a stream that the caller may not read',
      kind: 'caller',
      by: 'reader',
      params: { measure: 'weight', streamId: 'body', type: 'mass/kg' },
      error: 'forbidden'
    },
    {
      name: 'refuses an unknown stream',
      kind: 'unknown',
      params: { measure: 'weight', streamId: 'nowhere', type: 'note/txt' },
      error: 'unknown-referenced-resource'
    },
    {
      name: 'refuses an unknown measure',
      kind: 'unknown',
      params: { measure: 'luck', streamId: 'diary', type: 'note/txt' },
      error: 'unknown-referenced-resource'
    },
    {
      name: 'refuses streams of the audit log',
      kind: 'state',
      params: { measure: 'weight', streamId: ':_audit:accesses', type: 'note/txt' },
      error: 'invalid-operation'
    },
    ...refusedParams([
      { measure: 'weight' },
      { measure: 'weight', streamId: 'diary' },
      { measure: 'weight', type: 'note/txt' },
      { measure: 'weight', eventId: 'x', streamId: 'diary', type: 'note/txt' },
      { measure: 'weight', streamId: 'diary', type: 'note/txt', before: 0 },
      { measure: 'weight', streamId: 'diary', type: 'note/txt', after: 91 },
      { measure: 'weight', streamId: 'diary', type: 'note/txt', zone: 'Mars/Base' }
    ]),
    ...withoutToken({ measure: 'weight', streamId: 'diary', type: 'note/txt' })
  ],
  'measures.compare': [
    {
      name: 'counts the days with both',
      kind: 'success',
      params: { ...compared, maxLag: 1 },
      answer: {
        lags: [
          { lag: -1, days: 0 },
          { lag: 0, days: 1 },
          { lag: 1, days: 0 }
        ]
      }
    },
    ...refusedParams([
      { ...compared, maxLag: 4 },
      { ...compared, maxLag: -1 },
      { ...compared, from: '1970-02-30' },
      { ...compared, zone: 'Mars/Base' },
      { ...dates }
    ]),
    ...refusedScopes(compared)
  ],
  'measures.days': [
    {
      name: 'returns a row for each day with data',
      kind: 'success',
      params: dates,
      answer: { days: [{ day: '1970-01-01', value: 70, min: 70, max: 70, count: 1, source: 'body' }] },
      after: (_world, { days }) => assert.equal(days.length, 1)
    },
    {
      name: 'counts texts',
      kind: 'success',
      params: { ...dates, measure: 'note', zone: 'Asia/Tokyo' },
      answer: { days: [{ day: '1970-01-01', value: 2, count: 2 }] }
    },
    {
      name: 'returns nothing to a create-only access',
      kind: 'success',
      by: 'sensor',
      params: dates,
      answer: { days: [] },
      after: (_world, { days }) => assert.deepEqual(days, [])
    },
    ...refusedParams([
      { ...dates, from: '1970-02-30' },
      { ...dates, from: '1970-1-1' },
      { ...dates, to: '1969-12-31' },
      { ...dates, to: '2001-01-01' },
      { ...dates, zone: 'Mars/Base' },
      { ...dates, zone: '' },
      { measure: 'weight', from: '1970-01-01' },
      { ...dates, unit: 'length/m' }
    ]),
    ...refusedScopes(dates)
  ],
  'measures.week': [
    {
      name: 'summarises each measure with data',
      kind: 'success',
      params: { to: '1970-01-03', zone: 'Europe/Zurich' },
      answer: {
        from: '1969-12-28',
        to: '1970-01-03',
        measures: [
          { measure: 'weight', days: 1, value: 70, position: 'unknown' },
          { measure: 'note', days: 1, total: 2 }
        ],
        looked: []
      }
    },
    {
      name: 'tells others only of what they may read',
      kind: 'success',
      by: 'reader',
      params: { to: '1970-01-03' },
      answer: { measures: [{ measure: 'note', days: 1 }] },
      after: (_world, { looked, measures }) => {
        assert.equal(measures.length, 1)
        assert.equal(looked, undefined)
      }
    },
    {
      name: 'returns nothing to a create-only access',
      kind: 'success',
      by: 'sensor',
      params: { to: '1970-01-03' },
      answer: { measures: [] }
    },
    { name: 'ends yesterday in UTC by default', kind: 'success', params: {}, answer: {} },
    ...refusedParams([
      { to: '1970-02-30' },
      { to: '1970-1-1' },
      { to: '1899-12-31' },
      { to: '1970-01-03', zone: 'Mars/Base' },
      { measures: ['weight'] }
    ]),
    ...withoutToken({ to: '1970-01-03' })
  ]
}
