/** Scenarios of the routes of the operator, and of deleting accounts. (service.md, Registration service; supplement 22, 26) */
import assert from 'node:assert/strict'
import type { Contract, Scenario } from './scenario.js'
import type { World } from './world.js'

const username = ({ owner }: World): object => ({ username: owner.username })
const hidden = { error: 'unknown-resource' } as const

/** Nobody but the operator finds anything. */
const toOthers = (params: (world: World) => object): Scenario[] => [
  ...(['owner', 'app', 'reader'] as const).map((by): Scenario => ({
    name: `is hidden from ${by}`,
    kind: 'caller',
    by,
    params,
    ...hidden
  })),
  ...(['nobody', 'stranger'] as const).map((by): Scenario => ({
    name: `is hidden from ${by}`,
    kind: 'caller',
    by,
    only: 'http',
    params,
    ...hidden
  }))
]

const isGone = async ({ owner, service }: World): Promise<void> => {
  assert.equal((await owner.call('events.get')).error.id, 'unknown-resource')
  const again = await service.user(owner.username)
  assert.deepEqual((await again.do('streams.get', { state: 'all' })).streams, [])
}

export const userScenarios: Contract = {
  'users.delete': [
    {
      name: 'deletes an account for the operator',
      kind: 'success',
      by: 'admin',
      only: 'http',
      params: username,
      answer: ({ owner }) => ({ userDeletion: { username: owner.username } }),
      after: isGone
    },
    {
      name: 'deletes it for its owner, where the settings allow it',
      kind: 'success',
      params: ({ owner }) => ({ username: owner.username.toUpperCase() }),
      answer: ({ owner }) => ({ userDeletion: { username: owner.username } }),
      after: isGone
    },
    {
      name: 'does not know unknown users',
      kind: 'unknown',
      by: 'admin',
      only: 'http',
      params: { username: 'nobody-of-that-name' },
      ...hidden
    },
    {
      name: 'does not know unknown users, whoever asks',
      kind: 'unknown',
      params: { username: 'nobody-of-that-name' },
      ...hidden
    },
    {
      name: 'refuses names that are none',
      kind: 'params',
      only: 'batch',
      params: { username: 12 },
      error: 'invalid-parameters-format'
    },
    ...toOthers(username).filter(({ by }) => by !== 'owner')
  ]
}
