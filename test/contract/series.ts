/** Scenarios of the methods on high-frequency series. (docs/spec/series.md) */
import assert from 'node:assert/strict'
import { withoutToken, type Contract, type Scenario } from './scenario.js'
import type { World } from './world.js'

const holder = async (world: World): Promise<void> => await world.holder()
const data = (points: unknown[][], fields = ['deltaTime', 'value']): object => ({
  format: 'flatJSON',
  fields,
  points
})
const points = data([[2, 72]])
const malformed = { error: 'invalid-request-structure' } as const
const unknown = 'cunknown00000000000000000'

/** Params that every series refuses. */
const wrong: readonly object[] = [
  { ...points, format: 'JSON' },
  { format: 'flatJSON', fields: ['deltaTime', 'value'] },
  data([[72]], ['value']),
  data([[2]], ['deltaTime']),
  data([[2, 72, 1]], ['deltaTime', 'value', 'value']),
  data([[2, 72, 1]], ['deltaTime', 'value', 'more']),
  data([[2]]),
  data([[-1, 72]]),
  data([[2, 'heavy']]),
  data([[2, null]])
]

export const seriesScenarios: Contract = {
  'hfs.add': [
    {
      name: 'writes data points, replacing those of the same times',
      kind: 'success',
      by: 'sensor',
      before: holder,
      params: ({ holderId }) => ({
        id: holderId,
        ...data([
          [1, 71.5],
          [2, '72']
        ])
      }),
      answer: { status: 'ok' },
      after: async ({ owner, holderId }) =>
        assert.deepEqual((await owner.do('hfs.get', { id: holderId })).points, [
          [0, 70],
          [1, 71.5],
          [2, 72]
        ])
    },
    ...wrong.map((params): Scenario => ({
      name: `refuses ${JSON.stringify(params)}`,
      kind: 'params',
      before: holder,
      params: ({ holderId }) => ({ id: holderId, ...params }),
      ...malformed
    })),
    {
      name: 'refuses events that are not series',
      kind: 'state',
      params: ({ events }) => ({ id: events.note, ...points }),
      error: 'invalid-operation'
    },
    {
      name: 'refuses an unknown id',
      kind: 'unknown',
      params: { id: unknown, ...points },
      error: 'unknown-resource'
    },
    ...(['reader', 'restricted'] as const).map((by): Scenario => ({
      name: `is refused to ${by}`,
      kind: 'caller',
      by,
      before: holder,
      params: ({ holderId }) => ({ id: holderId, ...points }),
      error: 'forbidden'
    })),
    ...withoutToken({ id: 'any', ...points })
  ],

  'hfs.addBatch': [
    {
      name: 'writes data points of several series',
      kind: 'success',
      by: 'contributor',
      before: holder,
      params: ({ holderId }) => ({ format: 'seriesBatch', data: [{ eventId: holderId, data: points }] }),
      answer: { status: 'ok' },
      after: async ({ owner, holderId }) =>
        assert.equal((await owner.do('hfs.get', { id: holderId })).points.length, 3)
    },
    ...[{}, { format: 'seriesBatch' }, { format: 'seriesBatch', data: [{ data: points }] }].map(
      (params): Scenario => ({
        name: `refuses ${JSON.stringify(params)}`,
        kind: 'params',
        params,
        ...malformed
      })
    ),
    {
      name: 'writes nothing if one of them is invalid',
      kind: 'params',
      before: holder,
      params: ({ holderId }) => ({
        format: 'seriesBatch',
        data: [
          { eventId: holderId, data: points },
          { eventId: holderId, data: wrong[0] }
        ]
      }),
      ...malformed
    },
    {
      name: 'refuses if the caller may not write to one of them',
      kind: 'caller',
      by: 'reader',
      before: holder,
      params: ({ holderId }) => ({ format: 'seriesBatch', data: [{ eventId: holderId, data: points }] }),
      error: 'forbidden'
    },
    ...withoutToken({ format: 'seriesBatch', data: [] })
  ],

  'hfs.deletePoints': [
    {
      name: 'removes the data points of a range',
      kind: 'success',
      before: holder,
      params: ({ holderId }) => ({ id: holderId, fromDeltaTime: 1, toDeltaTime: 5 }),
      answer: { status: 'ok', removed: 1, event: { type: 'series:mass/kg' } },
      after: async ({ owner, holderId }) =>
        assert.deepEqual((await owner.do('hfs.get', { id: holderId })).points, [[0, 70]])
    },
    {
      name: 'refuses create-only accesses',
      kind: 'caller',
      by: 'sensor',
      before: holder,
      params: ({ holderId }) => ({ id: holderId, fromDeltaTime: 1 }),
      error: 'forbidden'
    },
    ...[
      { fromDeltaTime: 'x' },
      { toDeltaTime: 'x' },
      { fromDeltaTime: 2, toDeltaTime: 1 },
      { from: 1 },
      { sample: 3 }
    ].map((params): Scenario => ({
      name: `refuses ${JSON.stringify(params)}`,
      kind: 'params',
      before: holder,
      params: ({ holderId }) => ({ id: holderId, ...params }),
      error: 'invalid-parameters-format'
    })),
    {
      name: 'refuses events that are not series',
      kind: 'state',
      params: ({ events }) => ({ id: events.note }),
      error: 'invalid-operation'
    },
    {
      name: 'refuses an unknown id',
      kind: 'unknown',
      params: { id: unknown },
      error: 'unknown-resource'
    },
    ...(['reader', 'restricted'] as const).map((by): Scenario => ({
      name: `is refused to ${by}`,
      kind: 'caller',
      by,
      before: holder,
      params: ({ holderId }) => ({ id: holderId }),
      error: 'forbidden'
    })),
    ...withoutToken({ id: 'any' })
  ],

  'hfs.get': [
    {
      name: 'returns data points by time',
      kind: 'success',
      by: 'reader',
      before: holder,
      params: ({ holderId }) => ({ id: holderId }),
      answer: {
        format: 'flatJSON',
        fields: ['deltaTime', 'value'],
        points: [
          [0, 70],
          [1, 71]
        ]
      }
    },
    {
      name: 'returns the data points of a range',
      kind: 'success',
      before: holder,
      params: ({ holderId }) => ({ id: holderId, fromDeltaTime: 1, toDeltaTime: 5 }),
      answer: { points: [[1, 71]] },
      after: (_world, answer) => assert.equal(answer.points.length, 1)
    },
    {
      name: 'aggregates parts of the range',
      kind: 'success',
      before: holder,
      params: ({ holderId }) => ({ id: holderId, sample: 1, summary: true }),
      answer: {
        fields: ['deltaTime', 'count', 'value.min', 'value.max', 'value.mean'],
        points: [[0, 2, 70, 71, 70.5]]
      }
    },
    ...[
      { fromDeltaTime: 'x' },
      { toDeltaTime: 'x' },
      { fromDeltaTime: 2, toDeltaTime: 1 },
      { summary: true },
      { sample: 3, summary: 'x' },
      { unheardOf: 1 }
    ].map((params): Scenario => ({
      name: `refuses ${JSON.stringify(params)}`,
      kind: 'params',
      before: holder,
      params: ({ holderId }) => ({ id: holderId, ...params }),
      error: 'invalid-parameters-format'
    })),
    {
      name: 'refuses an unknown id',
      kind: 'unknown',
      params: { id: unknown },
      error: 'unknown-resource'
    },
    {
      name: 'refuses create-only accesses',
      kind: 'caller',
      by: 'sensor',
      before: holder,
      params: ({ holderId }) => ({ id: holderId }),
      error: 'forbidden'
    },
    ...withoutToken({ id: 'any' })
  ]
}
