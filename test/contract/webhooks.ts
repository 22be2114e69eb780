/** Scenarios of the methods on webhooks. (docs/spec/notifications.md#webhooks) */
import assert from 'node:assert/strict'
import { refusesStrangers, withoutToken, type Contract, type Scenario } from './scenario.js'
import type { World } from './world.js'

const hook = async (world: World): Promise<void> => await world.hook()
const id = ({ webhookId }: World): object => ({ id: webhookId })
const unknown = { params: { id: 'cunknown' }, error: 'unknown-resource' } as const
const invalid = { error: 'invalid-parameters-format' } as const

/** Refusals of accesses that did not create the webhook. */
const toOthers = (params: (world: World) => object): Scenario[] => refusesStrangers(hook, params)

export const webhookScenarios: Contract = {
  'webhooks.get': [
    {
      name: 'returns the webhooks that the caller created',
      kind: 'success',
      by: 'app',
      before: hook,
      answer: ({ webhookId }) => ({ webhooks: [{ id: webhookId, state: 'active' }] })
    },
    {
      name: 'returns all webhooks to the owner',
      kind: 'success',
      before: hook,
      answer: ({ webhookId }) => ({ webhooks: [{ id: webhookId }] })
    },
    {
      name: 'returns none to other accesses',
      kind: 'success',
      by: 'reader',
      before: hook,
      answer: {},
      after: (_world, { webhooks }) => assert.deepEqual(webhooks, [])
    },
    ...withoutToken()
  ],

  'webhooks.getOne': [
    {
      name: 'returns the webhook',
      kind: 'success',
      by: 'app',
      before: hook,
      params: id,
      answer: ({ webhookId, clients }) => ({
        webhook: {
          id: webhookId,
          accessId: clients.get('app')!.access.id,
          runCount: 0,
          failCount: 0,
          runs: []
        }
      })
    },
    {
      name: 'refuses unknown params',
      kind: 'params',
      only: 'batch',
      params: { id: 'any', unheardOf: 1 },
      ...invalid
    },
    { name: 'refuses an unknown id', kind: 'unknown', ...unknown },
    ...toOthers(id),
    ...withoutToken({ id: 'any' })
  ],

  'webhooks.create': [
    {
      name: 'returns the new webhook',
      kind: 'success',
      by: 'sensor',
      params: world => ({ url: world.hookUrl }),
      answer: ({ clients, hookUrl }) => ({
        webhook: {
          accessId: clients.get('sensor')!.access.id,
          url: hookUrl,
          state: 'active',
          runCount: 0,
          failCount: 0,
          currentRetries: 0,
          runs: []
        }
      })
    },
    ...[
      {},
      { url: 12 },
      { url: 'https://example.com', unheardOf: 1 },
      { url: 'https://example.com', state: 'active' }
    ].map((params): Scenario => ({
      name: `refuses ${JSON.stringify(params)}`,
      kind: 'params',
      by: 'app',
      params,
      ...invalid
    })),
    {
      name: 'refuses a URL that the access already has',
      kind: 'state',
      by: 'app',
      before: hook,
      params: ({ hookUrl }) => ({ url: hookUrl }),
      error: 'item-already-exists',
      match: { data: { url: /^http/ } }
    },
    {
      name: 'refuses personal accesses',
      kind: 'caller',
      params: { url: 'https://example.com' },
      error: 'forbidden'
    },
    ...withoutToken({ url: 'https://example.com' })
  ],

  'webhooks.update': [
    {
      name: 'deactivates it',
      kind: 'success',
      by: 'app',
      before: hook,
      params: ({ webhookId }) => ({ id: webhookId, update: { state: 'inactive' } }),
      answer: { webhook: { state: 'inactive' } }
    },
    {
      name: 'accepts the owner',
      kind: 'success',
      before: hook,
      params: ({ webhookId, hookUrl }) => ({ id: webhookId, update: { url: `${hookUrl}?other` } }),
      answer: { webhook: { url: /other$/, state: 'active', currentRetries: 0 } }
    },
    {
      name: 'refuses other states',
      kind: 'params',
      by: 'app',
      before: hook,
      params: ({ webhookId }) => ({ id: webhookId, update: { state: 'asleep' } }),
      ...invalid
    },
    ...['id', 'accessId', 'runCount', 'runs', 'created'].map((field): Scenario => ({
      name: `protects ${field}`,
      kind: 'params',
      by: 'app',
      before: hook,
      params: ({ webhookId }) => ({ id: webhookId, update: { [field]: 1 } }),
      error: 'forbidden'
    })),
    {
      name: 'refuses an unknown id',
      kind: 'unknown',
      params: { id: 'cunknown', update: { state: 'active' } },
      error: 'unknown-resource'
    },
    ...toOthers(({ webhookId }) => ({ id: webhookId, update: { state: 'inactive' } })),
    ...withoutToken({ id: 'any', update: {} })
  ],

  'webhooks.delete': [
    {
      name: 'deletes a webhook only once',
      kind: 'success',
      by: 'app',
      before: hook,
      params: id,
      answer: ({ webhookId }) => ({ webhookDeletion: { id: webhookId } }),
      after: async world => {
        const answer = await world.owner.call('webhooks.delete', id(world))
        assert.equal(answer.error.id, 'unknown-resource')
      }
    },
    { name: 'refuses unknown params', kind: 'params', params: { id: 'any', unheardOf: 1 }, ...invalid },
    { name: 'refuses an unknown id', kind: 'unknown', ...unknown },
    ...toOthers(id),
    ...withoutToken({ id: 'any' })
  ],

  'webhooks.test': [
    {
      name: 'calls the URL',
      kind: 'success',
      by: 'app',
      before: hook,
      params: id,
      answer: ({ webhookId }) => ({ webhook: { id: webhookId, runCount: 0 } })
    },
    { name: 'refuses unknown params', kind: 'params', params: { id: 'any', unheardOf: 1 }, ...invalid },
    { name: 'refuses an unknown id', kind: 'unknown', ...unknown },
    ...toOthers(id),
    ...withoutToken({ id: 'any' })
  ]
}
