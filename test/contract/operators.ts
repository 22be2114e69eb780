/** Scenarios of what operators see of a service and do in it. (docs/spec/administration.md#operators) */
import assert from 'node:assert/strict'
import { Layout } from '../../storage/files/layout.js'
import { PlatformStore } from '../../storage/platform/platform-store.js'
import type { Contract, Scenario } from './scenario.js'
import { byAdmin, hidden, noName, toOthers, unknownUser, username, withoutParams } from './users.js'
import { adminKey, type World } from './world.js'
import type { Answer, Client } from '../support/coffer.js'

const invalid = { error: 'invalid-parameters-format' } as const

/** The one whom the setting names. */
let operating: Client | undefined

const suspend = async ({ owner, service }: World): Promise<void> => {
  const { body } = await service.http(
    'POST',
    `/system/users/${owner.username}/suspension`,
    {},
    { authorization: adminKey }
  )
  assert.equal(body.suspension.username, owner.username)
}

/** Over HTTP, numbers that are none. */
const wrongNumbers = (name: string, ...values: readonly (number | string)[]): Scenario[] =>
  values.map(value => ({
    name: `refuses ${value} as ${name}`,
    kind: 'params',
    ...byAdmin,
    params: { [name]: value },
    ...invalid
  }))

export const operatorScenarios: Contract = {
  'system.getOperator': [
    {
      name: 'is hidden from those whom the setting does not name',
      kind: 'state',
      params: username,
      ...hidden
    },
    {
      name: 'tells an operator',
      kind: 'success',
      only: 'http',
      before: async ({ service }) => void (operating ??= await service.user('operating')),
      params: { username: 'Operating' },
      headers: () => ({ authorization: operating!.token }),
      answer: { operator: { username: 'operating' } }
    },
    {
      name: 'wants a name that is one',
      kind: 'params',
      only: 'batch',
      params: { username: 12 },
      ...invalid
    },
    {
      name: 'is hidden from others who name an operator',
      kind: 'caller',
      only: 'http',
      params: { username: 'operating' },
      error: 'invalid-access-token'
    }
  ],

  'system.getOverview': [
    {
      name: 'tells what runs here, and for how many',
      kind: 'success',
      ...byAdmin,
      answer: {
        overview: {
          name: 'Coffer',
          publicUrl: /^http/,
          versions: { coffer: /^\d/, api: /^\d/, node: process.versions.node, sqlite: /^3\./ },
          accounts: Number,
          registration: 'open',
          passwordReset: 'operator',
          quota: 0,
          mayDelete: true
        }
      }
    },
    ...withoutParams
  ],

  'system.getUsers': [
    {
      name: 'tells how an account is used, and nothing of what is in it',
      kind: 'success',
      ...byAdmin,
      params: ({ owner }) => ({ search: owner.username }),
      answer: ({ owner }) => ({
        users: [
          {
            username: owner.username,
            created: Number,
            state: 'active',
            suspended: null,
            deletion: null,
            isOperator: false,
            quota: 0,
            hasOwnQuota: false,
            documents: Number,
            attachments: 0,
            lastUsed: Number,
            hasSecondFactor: false,
            passkeys: 0
          }
        ]
      })
    },
    {
      name: 'finds somebody by an address, without telling it',
      kind: 'success',
      before: world => world.mail(),
      ...byAdmin,
      params: ({ owner }) => ({ search: `${owner.username}@example.com` }),
      answer: ({ owner }) => ({ users: [{ username: owner.username }] }),
      after: (_world, answer) => assert.ok(!JSON.stringify(answer).includes('@'))
    },
    {
      name: 'tells where the next page begins',
      kind: 'success',
      ...byAdmin,
      params: { limit: 1 },
      after: (_world, { next, users }) => assert.equal(next, users[0].username)
    },
    {
      name: 'takes what means something to databases as it is',
      kind: 'success',
      ...byAdmin,
      params: { search: "%_' OR 1=1" },
      after: (_world, { users }) => assert.deepEqual(users, [])
    },
    ...wrongNumbers('limit', 0, 101, 'many'),
    ...toOthers(() => ({}))
  ],

  'system.getUser': [
    {
      name: 'answers one account',
      kind: 'success',
      ...byAdmin,
      params: username,
      answer: ({ owner }) => ({ user: { username: owner.username, state: 'active' } })
    },
    {
      name: 'answers one that is suspended, without opening it',
      kind: 'success',
      before: suspend,
      ...byAdmin,
      params: username,
      answer: {
        user: {
          state: 'suspended',
          suspended: Number,
          documents: null,
          hasSecondFactor: null,
          passkeys: null
        }
      }
    },
    unknownUser,
    noName,
    ...toOthers(username)
  ],

  'system.limitUser': [
    {
      name: 'limits what the account may store',
      kind: 'success',
      ...byAdmin,
      params: ({ owner }) => ({ username: owner.username, bytes: 10 }),
      answer: { quota: { bytes: 10 } },
      after: async ({ owner }) => {
        const event = { streamIds: ['body'], type: 'note/txt', content: 'x' }
        const { error } = await owner.call('events.create', event)
        assert.equal(error.id, 'user-intervention-required')
        assert.equal(error.data.quota, 10)
      }
    },
    {
      name: 'leaves it to the settings again',
      kind: 'success',
      ...byAdmin,
      params: ({ owner }) => ({ username: owner.username, bytes: null }),
      answer: { quota: { bytes: null } }
    },
    ...[-1, 1.5, 'much', 2 ** 53].map((bytes): Scenario => ({
      name: `refuses ${bytes} bytes`,
      kind: 'params',
      ...byAdmin,
      params: ({ owner }) => ({ username: owner.username, bytes }),
      ...invalid
    })),
    { ...unknownUser, params: { username: 'nobody-of-that-name', bytes: 1 } },
    ...toOthers(({ owner }) => ({ username: owner.username, bytes: 1 }))
  ],

  'system.suspendUser': [
    {
      name: 'lets nobody use the account',
      kind: 'success',
      ...byAdmin,
      params: username,
      answer: ({ owner }) => ({ suspension: { username: owner.username, since: Number } }),
      after: async ({ owner }) => {
        const { error, status } = await owner.call('events.get')
        assert.equal(status, 403)
        assert.equal(error.id, 'forbidden')
        assert.deepEqual(error.data, { isSuspended: true })
      }
    },
    {
      name: 'changes nothing of an account that is suspended',
      kind: 'success',
      before: suspend,
      ...byAdmin,
      params: username,
      answer: { suspension: { since: Number } }
    },
    unknownUser,
    noName,
    ...toOthers(username)
  ],

  'system.resumeUser': [
    {
      name: 'lets the account be used again, as it was',
      kind: 'success',
      before: suspend,
      ...byAdmin,
      params: username,
      answer: ({ owner }) => ({ suspensionDeletion: { username: owner.username } }),
      after: async ({ owner, events }) => {
        const { event } = await owner.do('events.getOne', { id: events.note })
        assert.equal(event.id, events.note)
      }
    },
    {
      name: 'refuses an account that is not suspended',
      kind: 'state',
      ...byAdmin,
      params: username,
      ...hidden
    },
    unknownUser,
    noName,
    ...toOthers(username)
  ],

  'system.keepUser': [
    {
      name: 'opens an account again that its owner has deleted',
      kind: 'success',
      before: async ({ owner, service }) => {
        const { accounts } = service.server.services
        await accounts.closeUntilDeletion(accounts.find(owner.username)!, 4_102_444_800)
        assert.equal((await owner.call('events.get')).error.id, 'forbidden')
      },
      ...byAdmin,
      params: username,
      answer: ({ owner }) => ({ keptUser: { username: owner.username } }),
      after: async ({ owner }) => assert.ok((await owner.do('events.get')).events)
    },
    {
      name: 'refuses an account that is not scheduled for deletion',
      kind: 'state',
      ...byAdmin,
      params: username,
      ...hidden
    },
    unknownUser,
    noName,
    ...toOthers(username)
  ],

  'system.getDeeds': [
    {
      name: 'tells what was done to whom, with what, and from where',
      kind: 'success',
      before: suspend,
      ...byAdmin,
      params: { limit: 1 },
      answer: ({ owner }) => ({
        deeds: [
          {
            number: Number,
            time: Number,
            method: 'system.suspendUser',
            isByKey: true,
            operator: null,
            target: /^c/,
            username: owner.username,
            detail: {},
            error: null,
            ip: /127\.0\.0\.1/
          }
        ]
      })
    },
    {
      name: 'answers those before a number',
      kind: 'success',
      ...byAdmin,
      params: { before: 1 },
      after: (_world, { deeds }) => assert.deepEqual(deeds, [])
    },
    ...wrongNumbers('limit', 0, 201, 'many'),
    ...wrongNumbers('before', 0, 'now'),
    ...toOthers(() => ({}))
  ],

  'system.getGrowth': [
    {
      name: 'tells how the service has grown, oldest day first',
      kind: 'success',
      ...byAdmin,
      before: async ({ service: { clock, directory } }) => {
        const platform = new PlatformStore(new Layout(directory))
        const measured = { accounts: 3, documents: 5000, attachments: 70, previews: 6, others: 8 }
        platform.changeNow('measureGrowth', clock.now() - 86_400, measured)
        platform.changeNow('measureGrowth', clock.now(), { ...measured, accounts: 4 })
        platform.close()
      },
      answer: { growth: Array },
      after: ({ service: { clock, server } }, { growth }) => {
        const today = Math.floor(clock.now() / 86_400) * 86_400
        const days = growth.map(({ events: _events, ...day }: Answer) => day)
        const measured = { documents: 5000, attachments: 70, previews: 6, others: 8 }
        assert.deepEqual(days, [
          { time: today - 86_400, accounts: 3, ...measured },
          // Not as it was measured, but as it is.
          { time: today, accounts: server.services.platform.accountStatuses.counts().accounts, ...measured }
        ])
      }
    },
    ...withoutParams
  ],

  'system.getSettings': [
    {
      name: 'tells the settings in force, and of secrets only whether there are any',
      kind: 'success',
      ...byAdmin,
      answer: { settings: Array },
      after: (_world, { settings }) => {
        const of = (key: string): Answer => settings.find((each: Answer) => each.key === key)
        assert.ok(!JSON.stringify(settings).includes(adminKey))
        assert.equal(of('adminKey').isSecret && !of('adminKey').isStandard, true)
        assert.equal('value' in of('adminKey'), false)
        assert.equal(of('quota.bytes').value, 0)
      }
    },
    ...withoutParams
  ]
}
