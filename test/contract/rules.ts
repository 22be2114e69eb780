/** Scenarios of the methods on rules. (docs/api/rules.md) */
import assert from 'node:assert/strict'
import { until } from '../support/socket.js'
import {
  refusesStrangers,
  refusesUnknownParams,
  withoutToken,
  type Contract,
  type Scenario
} from './scenario.js'
import type { World } from './world.js'

const condition = { kind: 'above', measure: 'heart-rate', value: 120 } as const
const form = { name: 'pulse', channelIds: [], condition }
const add = async (world: World): Promise<void> => await world.addRule(form)
const id = ({ ruleId }: World): object => ({ id: ruleId })
const unknown = { params: { id: 'cunknown' }, error: 'unknown-resource' } as const
const invalid = { error: 'invalid-parameters-format' } as const

/** Adds a rule that fires because of a number. */
const addFiring = async (world: World): Promise<void> => {
  await add(world)
  const { owner, ruleId, service } = world
  // Only numbers after the rule count.
  service.clock.advance(0.01)
  await owner.event({ streamIds: ['diary'], type: 'frequency/bpm', content: 150 })
  await until(async () => {
    const { rule } = await owner.do('rules.getOne', { id: ruleId })
    return rule.state.isFiring
  }, 'the rule to fire')
}
let connectionId = ''
let silentId = ''
const span = { from: 0, to: 100_000 }

/** Refusals of accesses that did not create the rule. */
const toOthers = (params: (world: World) => object): Scenario[] => refusesStrangers(add, params)

export const ruleScenarios: Contract = {
  'rules.get': [
    {
      name: 'returns the rules that the caller created',
      kind: 'success',
      by: 'app',
      before: add,
      answer: ({ ruleId }) => ({ rules: [{ id: ruleId, state: { isFiring: false } }] })
    },
    {
      name: 'returns all rules to the owner',
      kind: 'success',
      before: add,
      answer: ({ ruleId }) => ({ rules: [{ id: ruleId }] })
    },
    {
      name: 'returns none to other accesses',
      kind: 'success',
      by: 'reader',
      before: add,
      answer: {},
      after: (_world, { rules }) => assert.deepEqual(rules, [])
    },
    { name: 'refuses params', kind: 'params', params: { unheardOf: 1 }, ...invalid },
    ...withoutToken()
  ],

  'rules.getOne': [
    {
      name: 'returns the rule',
      kind: 'success',
      by: 'app',
      before: add,
      params: id,
      answer: ({ clients, ruleId }) => ({
        rule: { id: ruleId, name: 'pulse', condition, accessId: clients.get('app')!.access.id }
      })
    },
    refusesUnknownParams,
    { name: 'refuses an unknown id', kind: 'unknown', ...unknown },
    ...toOthers(id),
    ...withoutToken({ id: 'any' })
  ],

  'rules.create': [
    {
      name: 'returns the rule with defaults',
      kind: 'success',
      by: 'app',
      params: form,
      answer: {
        rule: {
          isActive: true,
          urgency: 'normal',
          showsValues: false,
          zone: 'UTC',
          atMostEvery: 3600,
          state: { isFiring: false }
        }
      }
    },
    ...(
      [
        ['an unknown kind', { condition: { kind: 'wish' } }, '#/condition'],
        [
          'a recovery beyond the value',
          { condition: { ...condition, recoverAt: 130 } },
          '#/condition/recoverAt'
        ],
        ['a unit of another measure', { condition: { ...condition, unit: 'mass/kg' } }, '#/unit'],
        ['an unknown zone', { zone: 'Moon/North' }, '#/zone'],
        ['quiet hours without an end', { quietHours: { from: '22:00', to: '22:00' } }, '#/quietHours'],
        ['a time that clocks do not show', { quietHours: { from: '24:00', to: '07:00' } }, '#/quietHours'],
        ['to ignore quiet hours if it is not urgent', { evenWhenQuiet: true }, '#/evenWhenQuiet'],
        ['too many messages', { atMostEvery: 1 }, '#/atMostEvery'],
        ['repeats that follow at once', { remindAfter: 1 }, '#/remindAfter'],
        ['too long a text', { text: 'x'.repeat(501) }, '#/text']
      ] as const
    ).map(([what, params, path]): Scenario => ({
      name: `refuses ${what}`,
      kind: 'params',
      params: { ...form, ...params },
      ...invalid,
      match: { data: [{ path: new RegExp(`^${path}`) }] }
    })),
    {
      name: 'refuses an unknown measure',
      kind: 'unknown',
      params: { ...form, condition: { ...condition, measure: 'luck' } },
      error: 'unknown-referenced-resource'
    },
    {
      name: 'refuses an unknown channel',
      kind: 'unknown',
      params: { ...form, channelIds: ['cunknown'] },
      error: 'unknown-resource'
    },
    {
      name: 'refuses an unknown stream',
      kind: 'unknown',
      params: { ...form, condition: { kind: 'missing', streamId: 'nowhere', for: 3600 } },
      error: 'unknown-referenced-resource'
    },
    {
      name: 'refuses an unknown stream of a measure',
      kind: 'unknown',
      params: { ...form, condition: { ...condition, streamIds: ['nowhere'] } },
      error: 'unknown-referenced-resource'
    },
    {
      name: 'refuses an unknown connection',
      kind: 'unknown',
      params: { ...form, condition: { kind: 'arrived', connectionId: 'nowhere' } },
      error: 'unknown-referenced-resource'
    },
    {
      name: 'refuses a total of a measure without totals',
      kind: 'state',
      params: { ...form, condition: { kind: 'total', measure: 'heart-rate', atLeast: 1, by: '20:00' } },
      error: 'invalid-operation'
    },
    {
      name: 'refuses a stream that the caller cannot read',
      kind: 'caller',
      by: 'reader',
      params: { ...form, condition: { kind: 'missing', streamId: 'body', for: 3600 } },
      error: 'forbidden'
    },
    {
      name: 'refuses the reads of others to apps',
      kind: 'caller',
      by: 'app',
      params: { ...form, condition: { kind: 'looked' } },
      error: 'forbidden'
    },
    ...withoutToken(form)
  ],

  'rules.update': [
    {
      name: 'changes what is given',
      kind: 'success',
      by: 'app',
      before: add,
      params: ({ ruleId }) => ({
        id: ruleId,
        update: { name: 'heart', quietHours: { from: '22:00', to: '07:00' } }
      }),
      answer: { rule: { name: 'heart', condition, quietHours: { from: '22:00', to: '07:00' } } }
    },
    {
      name: 'pauses a rule for the owner',
      kind: 'success',
      before: add,
      params: ({ ruleId }) => ({ id: ruleId, update: { isActive: false, text: null } }),
      answer: { rule: { isActive: false, state: { isFiring: false } } }
    },
    {
      name: 'refuses a malformed condition',
      kind: 'params',
      by: 'app',
      before: add,
      params: ({ ruleId }) => ({ id: ruleId, update: { condition: { kind: 'above' } } }),
      ...invalid
    },
    ...['id', 'accessId', 'state', 'created'].map((field): Scenario => ({
      name: `protects ${field}`,
      kind: 'params',
      by: 'app',
      before: add,
      params: ({ ruleId }) => ({ id: ruleId, update: { [field]: 1 } }),
      error: 'forbidden'
    })),
    {
      name: 'refuses an unknown id',
      kind: 'unknown',
      params: { id: 'cunknown', update: { name: 'x' } },
      error: 'unknown-resource'
    },
    {
      name: 'refuses channels of the user for the rule of an app',
      kind: 'state',
      before: async world => {
        await add(world)
        const given = { type: 'event', name: 'own', target: { streamId: 'diary' } }
        world.channelId ||= (await world.owner.do('channels.create', given)).channel.id
      },
      params: ({ channelId, ruleId }) => ({ id: ruleId, update: { channelIds: [channelId] } }),
      error: 'forbidden'
    },
    ...toOthers(({ ruleId }) => ({ id: ruleId, update: { name: 'x' } })),
    ...withoutToken({ id: 'any', update: {} })
  ],

  'rules.acknowledge': [
    {
      name: 'records who has seen the last firing, and when',
      kind: 'success',
      by: 'app',
      before: addFiring,
      params: id,
      answer: ({ clients }) => ({
        rule: { state: { isFiring: true, acknowledgedBy: clients.get('app')!.access.id } }
      }),
      after: (_world, { rule }) => {
        assert.ok(rule.state.acknowledgedAt >= rule.state.firedAt)
        assert.ok(!('isOpen' in rule.state))
      }
    },
    {
      name: 'is open to the owner',
      kind: 'success',
      before: addFiring,
      params: id,
      answer: { rule: { state: { isFiring: true } } }
    },
    {
      name: 'refuses a firing that is not the last one',
      kind: 'state',
      by: 'app',
      before: addFiring,
      params: world => ({ ...id(world), firedAt: 1 }),
      error: 'invalid-operation'
    },
    {
      name: 'refuses a rule that has not fired',
      kind: 'state',
      before: async ({ owner }) => {
        const never = { ...condition, value: 1e6 }
        silentId = (await owner.do('rules.create', { ...form, condition: never })).rule.id
      },
      params: () => ({ id: silentId }),
      error: 'invalid-operation'
    },
    {
      name: 'refuses a time that is none',
      kind: 'params',
      params: { id: 'cunknown', firedAt: 'now' },
      ...invalid
    },
    { name: 'refuses an unknown id', kind: 'unknown', ...unknown },
    ...toOthers(id),
    ...withoutToken({ id: 'any' })
  ],

  'rules.delete': [
    {
      name: 'deletes a rule only once',
      kind: 'success',
      by: 'app',
      before: add,
      params: id,
      answer: ({ ruleId }) => ({ ruleDeletion: { id: ruleId } }),
      after: async world => {
        const answer = await world.owner.call('rules.delete', id(world))
        assert.equal(answer.error.id, 'unknown-resource')
      }
    },
    refusesUnknownParams,
    { name: 'refuses an unknown id', kind: 'unknown', ...unknown },
    ...toOthers(id),
    ...withoutToken({ id: 'any' })
  ],

  'rules.test': [
    {
      name: 'returns when a rule would have fired',
      kind: 'success',
      by: 'app',
      before: async ({ owner }) => {
        for (const [time, content] of [
          [1000, 130],
          [2000, 80]
        ])
          await owner.event({ streamIds: ['diary'], type: 'frequency/bpm', content, time })
      },
      params: { rule: form, ...span },
      answer: { firings: [{ time: 1000, told: 1000, recovered: 2000 }] }
    },
    {
      name: 'accepts the id of a rule',
      kind: 'success',
      by: 'app',
      before: add,
      params: world => ({ ...id(world), ...span }),
      answer: { firings: [] }
    },
    { name: 'needs a rule', kind: 'params', params: span, ...invalid },
    {
      name: 'refuses a range that ends early',
      kind: 'params',
      params: { rule: form, from: 2, to: 1 },
      ...invalid
    },
    { name: 'refuses a long range', kind: 'params', params: { rule: form, from: 0, to: 1e9 }, ...invalid },
    {
      name: 'refuses an unknown id',
      kind: 'unknown',
      params: { id: 'cunknown', ...span },
      error: 'unknown-resource'
    },
    {
      name: 'refuses conditions on connections',
      kind: 'state',
      before: async ({ owner }) => {
        const { connections } = await owner.do('connections.get')
        connectionId =
          connections[0]?.id ??
          (await owner.do('connections.create', { dialect: 'owntracks', name: 'phone' })).connection.id
      },
      params: () => ({ rule: { ...form, condition: { kind: 'missing', connectionId, for: 60 } }, ...span }),
      error: 'invalid-operation'
    },
    {
      name: 'refuses what the caller cannot watch',
      kind: 'caller',
      by: 'reader',
      params: { rule: { ...form, condition: { kind: 'words', anyOf: ['x'], streamIds: ['body'] } }, ...span },
      error: 'forbidden'
    },
    ...toOthers(world => ({ ...id(world), ...span })),
    ...withoutToken({ rule: form, ...span })
  ]
}
