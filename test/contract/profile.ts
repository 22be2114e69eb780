/** Scenarios of the methods on profile sets. (docs/spec/accounts.md#profile-sets) */
import assert from 'node:assert/strict'
import { withoutToken, type Contract, type Scenario } from './scenario.js'
import type { CallerName, World } from './world.js'

type SetName = 'public' | 'private' | 'app'

const invalid = { error: 'invalid-parameters-format' } as const

/** Which callers may read and write each set: all others are refused. */
const readers: Record<SetName, readonly CallerName[]> = {
  public: ['owner', 'app', 'reader', 'sensor'],
  private: ['owner'],
  app: ['app', 'manager']
}
const writers: Record<SetName, CallerName> = { public: 'owner', private: 'owner', app: 'app' }
const strangers: Record<SetName, readonly CallerName[]> = {
  public: ['app', 'reader', 'sensor'],
  private: ['app', 'reader', 'sensor'],
  app: ['owner', 'reader', 'sensor']
}

/** Returns the name of a set as used in method ids. */
function capital(set: SetName): string {
  return `${set[0]!.toUpperCase()}${set.slice(1)}`
}

/** Writes to a set. */
const fill =
  (set: SetName) =>
  async (world: World): Promise<void> => {
    await world
      .client(writers[set])
      .do(`profile.update${capital(set)}`, { update: { colour: 'blue', size: 12, deep: { a: [1] } } })
  }

const reading = (set: SetName, params: object): Scenario[] => [
  ...readers[set].map((by): Scenario => ({
    name: `answers the ${set} set to ${by}`,
    kind: 'success',
    by,
    params,
    before: fill(set),
    answer: by === 'manager' ? { profile: {} } : { profile: { colour: 'blue', size: 12, deep: { a: [1] } } },
    after: (_world, { profile }) => assert.equal(Object.keys(profile).length, by === 'manager' ? 0 : 3)
  })),
  {
    name: `answers an empty object for a ${set} set that was never written`,
    kind: 'success',
    by: writers[set],
    params,
    after: (_world, { profile }) => assert.deepEqual(profile, {})
  },
  ...strangers[set]
    .filter(by => !readers[set].includes(by))
    .map((by): Scenario => ({
      name: `refuses the ${set} set to ${by}`,
      kind: 'caller',
      by,
      params,
      before: fill(set),
      error: 'forbidden'
    }))
]

const writing = (set: SetName, params: object): Scenario[] => [
  {
    name: `sets keys of the ${set} set, removes those that are null, leaves the others`,
    kind: 'success',
    by: writers[set],
    params: { ...params, update: { colour: 'red', size: null, gone: null, extra: false } },
    before: fill(set),
    answer: { profile: { colour: 'red', extra: false, deep: { a: [1] } } },
    after: async (world, { profile }) => {
      assert.deepEqual(Object.keys(profile).toSorted(), ['colour', 'deep', 'extra'])
      const kept = await world.client(writers[set]).do(`profile.get${capital(set)}`)
      assert.deepEqual(kept.profile, profile)
    }
  },
  ...['text', 12, [], null].map((update): Scenario => ({
    name: `refuses ${JSON.stringify(update)} for the ${set} set`,
    kind: 'params',
    by: writers[set],
    params: { ...params, update },
    error: 'invalid-parameters-format',
    only: 'batch'
  })),
  ...strangers[set].map((by): Scenario => ({
    name: `refuses changes of the ${set} set to ${by}`,
    kind: 'caller',
    by,
    params: { ...params, update: { colour: 'red' } },
    before: fill(set),
    error: 'forbidden'
  }))
]

/** Keys of the service itself are not for clients. */
const reserved = (params: object): Scenario => ({
  name: 'refuses the key of the second factor',
  kind: 'params',
  params: { ...params, update: { mfa: null, colour: 'red' } },
  before: fill('private'),
  error: 'forbidden',
  match: { data: { protectedFields: ['mfa'] } }
})

const unknownSet = (params: object): Scenario => ({
  name: 'refuses unknown sets',
  kind: 'unknown',
  params: { id: '__proto__', ...params },
  error: 'unknown-resource'
})

/** Returns both methods of a set that the method's id names. */
const ofSet = (set: SetName): Contract => ({
  [`profile.get${capital(set)}`]: [
    ...reading(set, {}),
    {
      name: 'refuses unknown params',
      kind: 'params',
      by: writers[set],
      params: { unheardOf: 1 },
      ...invalid
    },
    ...withoutToken()
  ],
  [`profile.update${capital(set)}`]: [
    ...writing(set, {}),
    ...(set === 'private' ? [reserved({})] : []),
    ...withoutToken({ update: {} })
  ]
})

export const profileScenarios: Contract = {
  ...ofSet('public'),
  ...ofSet('private'),
  ...ofSet('app'),
  'profile.get': [
    ...(['public', 'private', 'app'] as const).flatMap(id => reading(id, { id })),
    {
      name: 'refuses unknown params',
      kind: 'params',
      params: { id: 'public', unheardOf: 1 },
      ...invalid
    },
    unknownSet({}),
    ...withoutToken({ id: 'public' })
  ],
  'profile.update': [
    ...(['public', 'private', 'app'] as const).flatMap(id => writing(id, { id })),
    reserved({ id: 'private' }),
    unknownSet({ update: { a: 1 } }),
    ...withoutToken({ id: 'public', update: {} })
  ]
}
