/** Scenarios of the methods on reminders. (docs/api/reminders.md) */
import assert from 'node:assert/strict'
import {
  refusesStrangers,
  refusesUnknownParams,
  withoutToken,
  type Contract,
  type Scenario
} from './scenario.js'
import type { World } from './world.js'

const id = ({ reminderId }: World): object => ({ id: reminderId })
const invalid = { error: 'invalid-parameters-format' } as const
/** A reminder that the app may create. */
export const template = {
  name: 'pill',
  kind: 'medication',
  schedule: { times: ['20:00', '08:00'], days: [1, 3, 5] },
  zone: 'Europe/Zurich',
  streamId: 'diary',
  event: { type: 'note/txt', content: 'taken' }
}

/** Creates the reminder of the world. */
export const add = async (world: World): Promise<void> => await world.addReminder(template)

/** Refusals of accesses that did not create the reminder. */
export const toOthers = (params: (world: World) => object): Scenario[] => refusesStrangers(add, params)

const unknown: Scenario = {
  name: 'refuses an unknown id',
  kind: 'unknown',
  params: { id: 'cunknown' },
  error: 'unknown-resource'
}

export const reminderScenarios: Contract = {
  'reminders.get': [
    {
      name: 'returns the reminders that the caller created, and when they are due',
      kind: 'success',
      by: 'app',
      before: add,
      answer: ({ reminderDue, reminderId }) => ({
        reminders: [{ id: reminderId, name: 'pill', next: reminderDue }],
        occurrences: [{ reminderId, due: reminderDue, state: 'upcoming' }, { state: 'upcoming' }]
      })
    },
    {
      name: 'returns all reminders to the owner',
      kind: 'success',
      before: add,
      answer: ({ reminderId }) => ({ reminders: [{ id: reminderId }] })
    },
    {
      name: 'returns none to other accesses',
      kind: 'success',
      by: 'reader',
      before: add,
      answer: { reminders: [], occurrences: [] },
      after: (_world, { occurrences, reminders }) => assert.deepEqual([reminders, occurrences], [[], []])
    },
    { name: 'refuses params', kind: 'params', params: { unheardOf: 1 }, ...invalid },
    ...withoutToken()
  ],

  'reminders.getOne': [
    {
      name: 'returns the reminder, and when it was due',
      kind: 'success',
      by: 'app',
      before: add,
      params: id,
      answer: ({ reminderId }) => ({ reminder: { id: reminderId, kind: 'medication' }, occurrences: [] })
    },
    refusesUnknownParams,
    unknown,
    ...toOthers(id),
    ...withoutToken({ id: 'any' })
  ],

  'reminders.create': [
    {
      name: 'returns the reminder',
      kind: 'success',
      by: 'app',
      params: template,
      answer: {
        reminder: {
          name: 'pill',
          schedule: { times: ['08:00', '20:00'], days: [1, 3, 5] },
          channelIds: [],
          urgency: 'normal',
          repeats: 0,
          isActive: true,
          showsName: false
        }
      }
    },
    ...(
      [
        ['an unknown kind', { kind: 'order' }, '#/kind'],
        ['a time that does not exist', { schedule: { times: ['24:00'] } }, '#/schedule/times/0'],
        [
          'a date that does not exist',
          { schedule: { times: ['08:00'], from: '2026-02-30' } },
          '#/schedule/from'
        ],
        [
          'an end before the beginning',
          { schedule: { times: ['08:00'], from: '2026-03-02', until: '2026-03-01' } },
          '#/schedule/until'
        ],
        [
          'an interval without a beginning',
          { schedule: { times: ['08:00'], everyDays: 2 } },
          '#/schedule/startsOn'
        ],
        ['an unknown zone', { zone: 'Mars/Olympus' }, '#/zone'],
        ['a series', { event: { type: 'series:mass/kg' } }, '#/event/type'],
        ['six repetitions', { repeats: 6 }, '#/repeats']
      ] as const
    ).map(([what, params, path]): Scenario => ({
      name: `refuses ${what}`,
      kind: 'params',
      params: { ...template, ...params },
      ...invalid,
      match: { data: [{ path: new RegExp(`^${path}`) }] }
    })),
    {
      name: 'refuses content of another type',
      kind: 'params',
      params: { ...template, event: { type: 'mass/kg', content: 'heavy' } },
      ...invalid
    },
    {
      name: 'refuses an unknown stream',
      kind: 'unknown',
      params: { ...template, streamId: 'nowhere' },
      error: 'unknown-referenced-resource'
    },
    {
      name: 'refuses an unknown channel',
      kind: 'unknown',
      params: { ...template, channelIds: ['cunknown'] },
      error: 'unknown-resource'
    },
    {
      name: 'refuses a stream of the service',
      kind: 'state',
      params: { ...template, streamId: ':_system:email' },
      error: 'invalid-operation'
    },
    {
      name: 'refuses a stream in the trash',
      kind: 'state',
      params: { ...template, streamId: 'attic' },
      error: 'invalid-operation'
    },
    ...(['reader', 'sensor', 'restricted'] as const).map((by): Scenario => ({
      name: `refuses a stream to which ${by} may not contribute`,
      kind: 'caller',
      by,
      params: template,
      error: 'forbidden'
    })),
    ...withoutToken(template)
  ],

  'reminders.update': [
    {
      name: 'replaces the given fields',
      kind: 'success',
      by: 'app',
      before: add,
      params: ({ reminderId }) => ({ id: reminderId, update: { name: 'drops', isActive: false } }),
      answer: { reminder: { name: 'drops', isActive: false, zone: 'Europe/Zurich' } },
      after: (_world, { reminder }) => assert.ok(!('next' in reminder))
    },
    {
      name: 'accepts the owner',
      kind: 'success',
      before: add,
      params: ({ reminderId }) => ({ id: reminderId, update: { zone: 'America/New_York' } }),
      answer: { reminder: { zone: 'America/New_York', kind: 'medication' } }
    },
    {
      name: 'refuses an unknown zone',
      kind: 'params',
      before: add,
      params: ({ reminderId }) => ({ id: reminderId, update: { zone: 'Mars/Olympus' } }),
      ...invalid
    },
    ...['id', 'accessId', 'next', 'created'].map((field): Scenario => ({
      name: `protects ${field}`,
      kind: 'params',
      by: 'app',
      before: add,
      params: ({ reminderId }) => ({ id: reminderId, update: { [field]: 1 } }),
      error: 'forbidden'
    })),
    {
      name: 'refuses an unknown id',
      kind: 'unknown',
      params: { id: 'cunknown', update: { name: 'x' } },
      error: 'unknown-resource'
    },
    ...toOthers(({ reminderId }) => ({ id: reminderId, update: { name: 'x' } })),
    ...withoutToken({ id: 'any', update: {} })
  ],

  'reminders.delete': [
    {
      name: 'deletes a reminder only once',
      kind: 'success',
      by: 'app',
      before: add,
      params: id,
      answer: ({ reminderId }) => ({ reminderDeletion: { id: reminderId } }),
      after: async world => {
        const answer = await world.owner.call('reminders.delete', id(world))
        assert.equal(answer.error.id, 'unknown-resource')
      }
    },
    refusesUnknownParams,
    unknown,
    ...toOthers(id),
    ...withoutToken({ id: 'any' })
  ]
}
