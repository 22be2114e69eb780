/** Scenarios of the methods on channels. (docs/api/channels.md) */
import assert from 'node:assert/strict'
import {
  lacks,
  refusesStrangers,
  refusesUnknownParams,
  withoutToken,
  type Contract,
  type Scenario
} from './scenario.js'
import type { World } from './world.js'

// Internal, so that nothing is sent.
const target = { url: 'http://127.0.0.1:9', topic: 'alice', token: 'tk_1' }
const add = async (world: World): Promise<void> => await world.addChannel(target)
const id = ({ channelId }: World): object => ({ id: channelId })
const unknown = { params: { id: 'cunknown' }, error: 'unknown-resource' } as const
const invalid = { error: 'invalid-parameters-format' } as const

/** Refusals of accesses that did not create the channel. */
const toOthers = (params: (world: World) => object): Scenario[] => refusesStrangers(add, params)

export const channelScenarios: Contract = {
  'channels.get': [
    {
      name: 'returns the channels that the caller created, and the key for browsers',
      kind: 'success',
      by: 'app',
      before: add,
      answer: ({ channelId }) => ({ channels: [{ id: channelId, type: 'ntfy' }], webPushKey: /^B[\w-]{86}$/ })
    },
    {
      name: 'returns all channels to the owner',
      kind: 'success',
      before: add,
      answer: ({ channelId }) => ({ channels: [{ id: channelId, state: 'active' }] })
    },
    {
      name: 'returns none to other accesses',
      kind: 'success',
      by: 'reader',
      before: add,
      answer: {},
      after: (_world, { channels }) => assert.deepEqual(channels, [])
    },
    { name: 'refuses params', kind: 'params', params: { unheardOf: 1 }, ...invalid },
    ...withoutToken()
  ],

  'channels.getOne': [
    {
      name: 'returns the channel without its secrets, and what was sent',
      kind: 'success',
      by: 'app',
      before: add,
      params: id,
      answer: ({ channelId, clients }) => ({
        channel: {
          id: channelId,
          name: 'phone',
          accessId: clients.get('app')!.access.id,
          target: { url: target.url, topic: 'alice', hasToken: true }
        },
        deliveries: []
      }),
      after: (_world, { channel }) => lacks(channel.target, 'token')
    },
    refusesUnknownParams,
    { name: 'refuses an unknown id', kind: 'unknown', ...unknown },
    ...toOthers(id),
    ...withoutToken({ id: 'any' })
  ],

  'channels.create': [
    {
      name: 'returns the channel',
      kind: 'success',
      by: 'app',
      params: { type: 'ntfy', name: 'phone', target },
      answer: { channel: { type: 'ntfy', name: 'phone', state: 'active', target: { hasToken: true } } },
      after: (_world, { channel }) => lacks(channel.target, 'token')
    },
    {
      name: 'writes notifications into a stream',
      kind: 'success',
      params: { type: 'event', name: 'diary', target: { streamId: 'diary' } },
      answer: { channel: { target: { streamId: 'diary' } } }
    },
    ...(
      [
        ['an unknown type', { type: 'pigeon', target: {} }, '#/type'],
        [
          'a target of another type',
          { type: 'gotify', target: { url: 'https://example.com', topic: 'x' } },
          '#/target'
        ],
        ['another scheme', { type: 'webhook', target: { url: 'file:///etc/passwd' } }, '#/target/url'],
        [
          'credentials in the URL',
          { type: 'webhook', target: { url: 'https://a:b@example.com' } },
          '#/target/url'
        ],
        [
          'a path as a topic',
          { type: 'ntfy', target: { url: 'https://example.com', topic: 'a/b' } },
          '#/target/topic'
        ],
        [
          'a line break in a token',
          { type: 'gotify', target: { url: 'https://example.com', token: 'a\nb' } },
          '#/target/token'
        ],
        [
          'a key that is not on the curve',
          {
            type: 'web-push',
            target: {
              endpoint: 'https://push.example.com/1',
              keys: { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) }
            }
          },
          '#/target/keys/p256dh'
        ]
      ] as const
    ).map(([what, params, path]): Scenario => ({
      name: `refuses ${what}`,
      kind: 'params',
      params: { name: 'x', ...params },
      ...invalid,
      match: { data: [{ path: new RegExp(`^${path}`) }] }
    })),
    {
      name: 'refuses an unknown stream',
      kind: 'unknown',
      params: { type: 'event', name: 'x', target: { streamId: 'nowhere' } },
      error: 'unknown-referenced-resource'
    },
    ...(['reader', 'restricted'] as const).map((by): Scenario => ({
      name: `refuses a stream to which ${by} may not add`,
      kind: 'caller',
      by,
      params: { type: 'event', name: 'x', target: { streamId: 'walks' } },
      error: 'forbidden'
    })),
    {
      name: 'refuses mail to apps',
      kind: 'caller',
      by: 'app',
      params: { type: 'mail', name: 'x', target: { address: 'a@example.com' } },
      error: 'forbidden'
    },
    {
      name: 'refuses an address that is not confirmed, or without a mail server',
      kind: 'state',
      params: { type: 'mail', name: 'x', target: { address: 'a@example.com' } },
      error: 'invalid-operation'
    },
    ...withoutToken({ type: 'ntfy', name: 'x', target })
  ],

  'channels.update': [
    {
      name: 'replaces name and target',
      kind: 'success',
      by: 'app',
      before: add,
      params: ({ channelId }) => ({
        id: channelId,
        update: { name: 'tablet', target: { url: target.url, topic: 'other' } }
      }),
      answer: { channel: { name: 'tablet', target: { topic: 'other', hasToken: false } } }
    },
    {
      name: 'accepts the owner',
      kind: 'success',
      before: add,
      params: ({ channelId }) => ({ id: channelId, update: { state: 'active' } }),
      answer: { channel: { state: 'active', target: { hasToken: true } } }
    },
    {
      name: 'refuses a target of another type',
      kind: 'params',
      by: 'app',
      before: add,
      params: ({ channelId }) => ({ id: channelId, update: { target: { streamId: 'diary' } } }),
      ...invalid
    },
    ...['id', 'type', 'accessId', 'created'].map((field): Scenario => ({
      name: `protects ${field}`,
      kind: 'params',
      by: 'app',
      before: add,
      params: ({ channelId }) => ({ id: channelId, update: { [field]: 1 } }),
      error: 'forbidden'
    })),
    {
      name: 'refuses an unknown id',
      kind: 'unknown',
      params: { id: 'cunknown', update: { name: 'x' } },
      error: 'unknown-resource'
    },
    ...toOthers(({ channelId }) => ({ id: channelId, update: { name: 'x' } })),
    ...withoutToken({ id: 'any', update: {} })
  ],

  'channels.delete': [
    {
      name: 'deletes a channel only once',
      kind: 'success',
      by: 'app',
      before: add,
      params: id,
      answer: ({ channelId }) => ({ channelDeletion: { id: channelId } }),
      after: async world => {
        const answer = await world.owner.call('channels.delete', id(world))
        assert.equal(answer.error.id, 'unknown-resource')
      }
    },
    refusesUnknownParams,
    { name: 'refuses an unknown id', kind: 'unknown', ...unknown },
    ...toOthers(id),
    ...withoutToken({ id: 'any' })
  ],

  'channels.test': [
    {
      name: 'queues a notification',
      kind: 'success',
      by: 'app',
      before: add,
      params: id,
      answer: ({ channelId }) => ({ channel: { id: channelId }, deliveryId: /^[\w-]{22}$/ })
    },
    refusesUnknownParams,
    { name: 'refuses an unknown id', kind: 'unknown', ...unknown },
    ...toOthers(id),
    ...withoutToken({ id: 'any' })
  ]
}
