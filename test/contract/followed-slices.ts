/** Scenarios of the methods on followed slices. (docs/spec/accounts.md#followed-slices) */
import assert from 'node:assert/strict'
import { withoutToken, type Contract, type Scenario } from './scenario.js'
import type { World } from './world.js'

const slice = { name: 'walks', url: 'https://other.example/bob/', accessToken: 'a-token' }
const other = { name: 'meals', url: 'https://other.example/carol/', accessToken: 'a-token' }

const invalid = { error: 'invalid-parameters-format' } as const
const conflict = { kind: 'state', error: 'item-already-exists' } as const

/** Follows both slices unless they are followed already: worlds for refusals are reused. */
async function follow(world: World): Promise<void> {
  if (world.sliceId !== '') return
  world.sliceId = (await world.owner.do('followedSlices.create', slice)).followedSlice.id
  await world.owner.do('followedSlices.create', other)
}

const toOthers = (params: (world: World) => object): Scenario[] =>
  (['app', 'manager', 'reader', 'sensor'] as const).map(by => ({
    name: `is refused to ${by}`,
    kind: 'caller',
    by,
    before: follow,
    params,
    error: 'forbidden'
  }))

const renamed = ({ sliceId }: World, update: object): object => ({ id: sliceId, update })

export const followedSliceScenarios: Contract = {
  'followedSlices.get': [
    {
      name: 'returns them by name',
      kind: 'success',
      before: follow,
      answer: ({ sliceId }) => ({ followedSlices: [{ ...other }, { ...slice, id: sliceId }] })
    },
    {
      name: 'returns an empty list if there are none',
      kind: 'success',
      after: (_world, { followedSlices }) => assert.deepEqual(followedSlices, [])
    },
    { name: 'refuses unknown params', kind: 'params', params: { unheardOf: 1 }, ...invalid },
    ...toOthers(() => ({})),
    ...withoutToken()
  ],

  'followedSlices.create': [
    {
      name: 'returns the new slice',
      kind: 'success',
      params: slice,
      answer: { followedSlice: { id: /^c[a-z0-9]{24}$/, ...slice } },
      after: async ({ owner }, { followedSlice }) => {
        assert.deepEqual(Object.keys(followedSlice).toSorted(), ['accessToken', 'id', 'name', 'url'])
        assert.deepEqual((await owner.do('followedSlices.get')).followedSlices, [followedSlice])
      }
    },
    {
      name: 'follows another slice of the same account',
      kind: 'success',
      before: follow,
      params: { ...slice, name: 'more', accessToken: 'another-token' },
      answer: { followedSlice: { name: 'more' } }
    },
    ...[
      {},
      { name: 'walks' },
      { ...slice, name: undefined },
      { ...slice, url: undefined },
      { ...slice, accessToken: undefined },
      { ...slice, name: '' },
      { ...slice, url: '' },
      { ...slice, accessToken: '' },
      { ...slice, name: 12 },
      { ...slice, url: null },
      { ...slice, id: 'my-own' },
      { ...slice, unheardOf: 1 }
    ].map((params): Scenario => ({
      name: `refuses ${JSON.stringify(params)}`,
      kind: 'params',
      params,
      ...invalid
    })),
    {
      name: 'refuses a name that exists',
      ...conflict,
      before: follow,
      params: { ...slice, url: 'https://other.example/dan/' },
      match: { data: { name: 'walks' } }
    },
    {
      name: 'refuses a URL and token that exist',
      ...conflict,
      before: follow,
      params: { ...slice, name: 'the same again' },
      match: { data: { url: slice.url, accessToken: slice.accessToken } }
    },
    ...toOthers(() => ({ ...slice, name: 'new', url: 'https://other.example/eve/' })),
    ...withoutToken(slice)
  ],

  'followedSlices.update': [
    {
      name: 'returns it with its new name',
      kind: 'success',
      before: follow,
      params: world => renamed(world, { name: 'runs' }),
      answer: ({ sliceId }) => ({ followedSlice: { ...slice, id: sliceId, name: 'runs' } }),
      after: async ({ owner }) => {
        const { followedSlices } = await owner.do('followedSlices.get')
        assert.deepEqual(
          followedSlices.map(({ name }: { name: string }) => name),
          ['meals', 'runs']
        )
      }
    },
    {
      name: 'accepts its current name',
      kind: 'success',
      before: follow,
      params: world => renamed(world, { name: 'walks' }),
      answer: { followedSlice: { name: 'walks' } }
    },
    ...[{ name: '' }, { name: null }, { name: 12 }, { unheardOf: 1 }].map((update): Scenario => ({
      name: `refuses ${JSON.stringify(update)}`,
      kind: 'params',
      before: follow,
      params: world => renamed(world, update),
      ...invalid
    })),
    ...['id', 'url', 'accessToken'].map((field): Scenario => ({
      name: `protects ${field}`,
      kind: 'params',
      before: follow,
      params: world => renamed(world, { [field]: 'other' }),
      error: 'forbidden',
      match: { data: { protectedFields: [field] } }
    })),
    {
      name: 'refuses the name of another slice',
      ...conflict,
      before: follow,
      params: world => renamed(world, { name: 'meals' }),
      match: { data: { name: 'meals' } }
    },
    {
      name: 'refuses an unknown id',
      kind: 'unknown',
      params: { id: 'cunknown', update: { name: 'runs' } },
      error: 'unknown-resource'
    },
    ...toOthers(world => renamed(world, { name: 'runs' })),
    ...withoutToken({ id: 'any', update: {} })
  ],

  'followedSlices.delete': [
    {
      name: 'deletes a slice only once',
      kind: 'success',
      before: follow,
      params: ({ sliceId }) => ({ id: sliceId }),
      answer: ({ sliceId }) => ({ followedSliceDeletion: { id: sliceId } }),
      after: async ({ owner, sliceId }) => {
        const { followedSlices } = await owner.do('followedSlices.get')
        assert.equal(followedSlices.length, 1)
        const { error } = await owner.call('followedSlices.delete', { id: sliceId })
        assert.equal(error.id, 'unknown-resource')
        await owner.do('followedSlices.create', slice)
      }
    },
    { name: 'refuses unknown params', kind: 'params', params: { id: 'any', unheardOf: 1 }, ...invalid },
    {
      name: 'refuses an unknown id',
      kind: 'unknown',
      params: { id: 'cunknown' },
      error: 'unknown-resource'
    },
    ...toOthers(({ sliceId }) => ({ id: sliceId })),
    ...withoutToken({ id: 'any' })
  ]
}
