/** Scenarios of the methods on imports. (docs/api/imports.md) */
import assert from 'node:assert/strict'
import { broughtIn, rested, sent } from '../support/importing.js'
import { withoutToken, type Contract, type Scenario } from './scenario.js'
import type { World } from './world.js'

const invalid = { error: 'invalid-parameters-format' } as const
const weights = 'time,weight (kg)\n2024-01-01 08:00,70\n2024-01-02 08:00,71\n'
/** Key of the lane of the weights. */
const weightLane = 'csv\nWeight\n\nmass/kg'
const unknown = { id: 'cunknown00000000000000000' }

/** Sends a file unless that was done: worlds for refusals are reused. */
async function look(world: World): Promise<void> {
  if (world.importId === '') world.importId = (await sent(world.owner, 'weights.csv', weights)).id
}

/** Sends a file, even if one was imported before. */
async function lookAgain(world: World): Promise<void> {
  world.importId = ''
  await look(world)
}

/** Imports a file. */
async function write(world: World): Promise<void> {
  if (world.importId === '') world.importId = (await broughtIn(world.owner, 'weights.csv', weights)).id
}

const id = ({ importId }: World): object => ({ id: importId })

const toOthers = (before: (world: World) => Promise<void>, error: Scenario['error']): Scenario[] =>
  (['app', 'manager', 'reader', 'sensor'] as const).map(by => ({
    name: `is refused to ${by}`,
    kind: 'caller',
    by,
    before,
    params: id,
    // They cannot see imports outside their streams.
    error: by === 'reader' || by === 'sensor' ? 'forbidden' : error!
  }))

const aboutOne = (before: (world: World) => Promise<void>): Scenario[] => [
  { name: 'refuses unknown params', kind: 'params', params: { ...unknown, unheardOf: 1 }, ...invalid },
  { name: 'refuses an unknown id', kind: 'unknown', params: unknown, error: 'unknown-resource' },
  ...toOthers(before, 'unknown-resource'),
  ...withoutToken(unknown)
]

export const importScenarios: Contract = {
  'imports.create': [
    {
      name: 'accepts a file and reads it',
      kind: 'success',
      only: 'http',
      files: ['weights.csv'],
      answer: { import: { id: String, fileName: 'weights.csv', size: 11, state: 'looking', parentId: null } },
      after: async (world, answer) => {
        // The content of a scenario's file is its name.
        assert.equal((await rested(world.owner, answer.import.id)).state, 'unreadable')
      }
    },
    { name: 'requires a file', kind: 'params', params: {}, error: 'invalid-request-structure' },
    {
      name: 'refuses several files',
      kind: 'params',
      only: 'http',
      files: ['a', 'b'],
      error: 'invalid-request-structure'
    },
    ...(['app', 'manager', 'reader', 'sensor'] as const).map((by): Scenario => ({
      name: `is refused to ${by}, at the top`,
      kind: 'caller',
      only: 'http',
      by,
      files: ['weights.csv'],
      error: 'forbidden'
    })),
    ...withoutToken().map(scenario => ({ ...scenario, files: ['weights.csv'] }))
  ],
  'imports.get': [
    {
      name: 'returns them, newest first',
      kind: 'success',
      before: look,
      answer: ({ importId }) => ({ imports: [{ id: importId, state: 'looked', look: { format: 'csv' } }] })
    },
    {
      name: 'hides from an app imports that it could not have started',
      kind: 'success',
      by: 'app',
      before: look,
      after: (_world, { imports }) => assert.deepEqual(imports, [])
    },
    { name: 'refuses unknown params', kind: 'params', params: { unheardOf: 1 }, ...invalid },
    { name: 'refuses reader', kind: 'caller', by: 'reader', error: 'forbidden' },
    ...withoutToken()
  ],
  'imports.getOne': [
    {
      name: 'returns what the file contains',
      kind: 'success',
      before: look,
      params: id,
      answer: {
        import: {
          state: 'looked',
          look: { records: { row: 2 }, from: 1704096000, to: 1704182400 },
          tally: { broughtIn: { 'mass/kg': 2 }, known: {}, leftOut: {} }
        }
      }
    },
    ...aboutOne(look)
  ],
  'imports.look': [
    {
      name: 'reads the file again with another time zone',
      kind: 'success',
      before: look,
      params: ({ importId }) => ({ id: importId, zone: 'Europe/Zurich' }),
      answer: { import: { state: 'looking', zone: 'Europe/Zurich' } },
      after: async (world, { import: { id: own } }) => {
        assert.equal((await rested(world.owner, own)).look.from, 1704092400)
      }
    },
    {
      name: 'refuses an invalid time zone',
      kind: 'params',
      before: look,
      params: ({ importId }) => ({ id: importId, zone: 'Nowhere' }),
      ...invalid
    },
    ...aboutOne(look)
  ],
  'imports.run': [
    {
      name: 'imports the file',
      kind: 'success',
      before: look,
      params: id,
      answer: { import: { state: 'writing' } },
      after: async ({ owner }, { import: { id: own } }) => {
        const { state, tally } = await rested(owner, own)
        assert.equal(state, 'written')
        assert.deepEqual(tally, { broughtIn: { 'mass/kg': 2 }, known: {}, leftOut: {} })
      }
    },
    {
      name: 'applies a mapping',
      kind: 'success',
      before: look,
      params: ({ importId }) => ({
        id: importId,
        mappings: {
          'time|weight (kg)': { time: 0, values: [{ column: 1, type: 'mass/lb', stream: 'Mass' }] }
        }
      }),
      after: async ({ owner }, { import: { id: own } }) => {
        assert.deepEqual((await rested(owner, own)).tally.broughtIn, { 'mass/lb': 2 })
      }
    },
    {
      name: 'refuses a mapping to an unknown type',
      kind: 'params',
      before: lookAgain,
      params: ({ importId }) => ({
        id: importId,
        mappings: { time: { time: 0, values: [{ column: 1, type: 'unheard/of', stream: 'x' }] } }
      }),
      ...invalid
    },
    {
      name: 'leaves out what the user does not want',
      kind: 'success',
      before: lookAgain,
      params: ({ importId }) => ({ id: importId, lanes: { [weightLane]: { isLeftOut: true } } }),
      after: async ({ owner }, { import: { id: own } }) => {
        const { tally } = await rested(owner, own)
        assert.deepEqual(tally, {
          broughtIn: {},
          known: {},
          leftOut: { 'of a kind that the user has excluded': 2 }
        })
      }
    },
    {
      name: 'refuses a choice for a lane that is not in the file',
      kind: 'params',
      before: lookAgain,
      params: ({ importId }) => ({ id: importId, lanes: { elsewhere: { isLeftOut: true } } }),
      ...invalid
    },
    {
      name: 'refuses a measure of other types',
      kind: 'params',
      before: lookAgain,
      params: ({ importId }) => ({ id: importId, lanes: { [weightLane]: { measure: 'heart-rate' } } }),
      ...invalid
    },
    {
      name: 'refuses two choices for a lane',
      kind: 'params',
      before: lookAgain,
      params: ({ importId }) => ({
        id: importId,
        lanes: { [weightLane]: { measure: 'weight', isLeftOut: true } }
      }),
      ...invalid
    },
    {
      name: 'refuses to import into an unknown stream',
      kind: 'state',
      before: lookAgain,
      params: ({ importId }) => ({ id: importId, lanes: { [weightLane]: { streamId: 'nowhere' } } }),
      error: 'unknown-referenced-resource'
    },
    {
      name: 'refuses an unknown stream',
      kind: 'state',
      before: lookAgain,
      params: ({ importId }) => ({ id: importId, parentId: 'nowhere' }),
      error: 'unknown-referenced-resource'
    },
    {
      name: 'refuses an import that has been run',
      kind: 'state',
      by: 'owner',
      before: async world => {
        world.importId = ''
        await write(world)
      },
      params: id,
      error: 'invalid-operation'
    },
    ...aboutOne(look)
  ],
  'imports.cancel': [
    {
      name: 'cancels it',
      kind: 'success',
      only: 'http',
      before: async world => {
        await look(world)
        await world.owner.do('imports.run', { id: world.importId })
      },
      params: id,
      answer: { import: { state: 'cancelled' } }
    },
    {
      name: 'refuses an import that is not running',
      kind: 'state',
      before: look,
      params: id,
      error: 'invalid-operation'
    },
    ...aboutOne(look)
  ],
  'imports.delete': [
    {
      name: 'removes what was imported',
      kind: 'success',
      before: write,
      params: id,
      answer: { import: { state: 'removing' } },
      after: async ({ owner, importId }) => {
        assert.equal(await rested(owner, importId), undefined)
        const { events } = await owner.do('events.get', { types: ['mass/kg'], fromTime: 1e9, toTime: 2e9 })
        assert.deepEqual(events, [])
      }
    },
    ...aboutOne(look)
  ]
}
