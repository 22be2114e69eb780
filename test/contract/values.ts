/** Scenarios of the methods that aggregate event values. (docs/api/samples.md) */
import assert from 'node:assert/strict'
import { withoutToken, type Contract, type Scenario } from './scenario.js'

const range = { fromTime: 0, toTime: 4000, parts: 4 }
const bloodPressure = { systolic: 142, diastolic: 88, of: { rate: 61.5 } }

export const valueScenarios: Contract = {
  'events.sample': [
    {
      name: 'aggregates numbers',
      kind: 'success',
      params: { ...range, streams: ['body'], types: ['mass/kg'] },
      before: async ({ owner }) => {
        for (const [time, content] of [
          [3500, 71],
          [3600, 69]
        ])
          await owner.event({ time, streamIds: ['body'], type: 'mass/kg', content })
      },
      answer: { samples: [{ time: 3000, count: 3, min: 69, max: 71, mean: 70, first: 70, last: 69 }] },
      after: (_world, { samples }) => assert.equal(samples.length, 1)
    },
    {
      name: 'counts events if none has a number',
      kind: 'success',
      params: { ...range, types: ['note/*'] },
      answer: {},
      after: (_world, { samples }) =>
        assert.deepEqual(samples, [
          { time: 1000, count: 1 },
          { time: 2000, count: 1 }
        ])
    },
    {
      name: 'counts trashed events on request',
      kind: 'success',
      params: { fromTime: 0, toTime: 4000, parts: 1, types: ['note/*'], state: 'trashed' },
      answer: {},
      after: (_world, { samples }) => assert.deepEqual(samples, [{ time: 0, count: 1 }])
    },
    {
      name: 'aggregates a field within contents',
      kind: 'success',
      params: { ...range, types: ['blood-pressure/mmhg-bpm', 'test/pressure'], field: 'of.rate' },
      before: async ({ owner }) => {
        await owner.event({ time: 100, streamIds: ['body'], type: 'test/pressure', content: bloodPressure })
      },
      answer: { samples: [{ time: 0, count: 1, min: 61.5, mean: 61.5, last: 61.5 }] }
    },
    {
      name: 'returns to a restricted access what it may read',
      kind: 'success',
      by: 'restricted',
      params: { ...range },
      answer: {},
      after: (_world, { samples }) => assert.deepEqual(samples, [{ time: 1000, count: 1 }])
    },
    {
      name: 'returns nothing to a create-only access',
      kind: 'success',
      by: 'sensor',
      params: range,
      answer: { samples: [] },
      after: (_world, { samples }) => assert.deepEqual(samples, [])
    },
    ...[
      { ...range, parts: 0 },
      { ...range, parts: 4001 },
      { ...range, parts: 1.5 },
      { fromTime: 0, toTime: 4000 },
      { fromTime: 0, parts: 4 },
      { ...range, toTime: 0 },
      { ...range, fromTime: 'ever' },
      { ...range, field: '$' },
      { ...range, field: 'a..b' },
      { ...range, field: `a${'.a'.repeat(200)}` },
      { ...range, types: ['mass'] },
      { ...range, state: 'some' },
      { ...range, limit: 1 }
    ].map((params): Scenario => ({
      name: `refuses ${JSON.stringify(params).slice(0, 60)}`,
      kind: 'params',
      params,
      error: 'invalid-parameters-format'
    })),
    {
      name: 'refuses streams of the audit log',
      kind: 'state',
      params: { ...range, streams: [':_audit:accesses'] },
      error: 'invalid-operation'
    },
    {
      name: 'refuses an unknown stream',
      kind: 'unknown',
      params: { ...range, streams: ['nowhere'] },
      error: 'unknown-referenced-resource'
    },
    {
      name: 'refuses a stream that the caller may not read',
      kind: 'caller',
      by: 'reader',
      params: { ...range, streams: ['body'] },
      error: 'forbidden'
    },
    ...withoutToken(range)
  ],

  'streams.facts': [
    {
      name: 'returns what each stream contains',
      kind: 'success',
      params: { streams: ['diary', 'body'] },
      answer: {},
      after: (_world, { facts }) =>
        assert.deepEqual(
          facts.toSorted((a: { streamId: string }, b: { streamId: string }) =>
            a.streamId < b.streamId ? -1 : 1
          ),
          [
            { streamId: 'body', type: 'mass/kg', count: 1, first: 3000, last: 3000, latest: 70 },
            { streamId: 'diary', type: 'note/txt', count: 1, first: 1000, last: 1000, latest: 'hello' },
            { streamId: 'walks', type: 'note/txt', count: 1, first: 2000, last: 2000, latest: 'by the lake' }
          ]
        )
    },
    {
      name: 'omits long contents',
      kind: 'success',
      params: { streams: ['body'] },
      before: async ({ owner }) => {
        await owner.event({ time: 1, streamIds: ['body'], type: 'note/txt', content: 'x'.repeat(300) })
      },
      answer: { facts: [{ type: 'mass/kg' }, { type: 'note/txt', count: 1 }] },
      after: (_world, { facts }) => assert.ok(!('latest' in facts[1]))
    },
    {
      name: 'ignores events that another stream hides',
      kind: 'success',
      by: 'restricted',
      before: async ({ owner }) => {
        await owner.event({ time: 1500, streamIds: ['diary', 'walks'] })
      },
      answer: { facts: [{ streamId: 'diary', count: 1, last: 1000 }] },
      after: (_world, { facts }) => assert.equal(facts.length, 1)
    },
    {
      name: 'returns no facts to a create-only access',
      kind: 'success',
      by: 'sensor',
      answer: { facts: [] },
      after: (_world, { facts }) => assert.deepEqual(facts, [])
    },
    ...[{ types: ['mass/kg'] }, { state: 'all' }].map((params): Scenario => ({
      name: `refuses ${JSON.stringify(params)}`,
      kind: 'params',
      params,
      error: 'invalid-parameters-format'
    })),
    {
      name: 'refuses streams of the audit log',
      kind: 'state',
      params: { streams: [':_audit:accesses'] },
      error: 'invalid-operation'
    },
    {
      name: 'refuses an unknown stream',
      kind: 'unknown',
      params: { streams: ['nowhere'] },
      error: 'unknown-referenced-resource'
    },
    {
      name: 'refuses a stream that the caller may not read',
      kind: 'caller',
      by: 'reader',
      params: { streams: ['body'] },
      error: 'forbidden'
    },
    ...withoutToken()
  ]
}
