/** Scenarios of what operators see of a service and change in it. (docs/spec/administration.md#operators) */
import assert from 'node:assert/strict'
import { Layout } from '../../storage/files/layout.js'
import { PlatformStore } from '../../storage/platform/platform-store.js'
import { lacks, type Contract, type Scenario } from './scenario.js'
import { byAdmin, hidden, noName, toOthers, unknownUser, username, withoutParams } from './users.js'
import { adminKey, type World } from './world.js'
import type { Answer, Client } from '../support/coffer.js'

const invalid = { error: 'invalid-parameters-format' } as const

/** The user whom the setting names. */
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

/** Invalid numbers, over HTTP. */
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
      name: 'is hidden from users whom the setting does not name',
      kind: 'state',
      params: username,
      ...hidden
    },
    {
      name: 'returns the operator',
      kind: 'success',
      only: 'http',
      before: async ({ service }) => {
        // Another test of this process may have used the scenario.
        if (operating?.service !== service) operating = await service.user('operating')
      },
      params: { username: 'Operating' },
      headers: () => ({ authorization: operating!.token }),
      answer: { operator: { username: 'operating' } }
    },
    {
      name: 'requires a string as the name',
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
      name: 'returns versions, configuration and the number of accounts',
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
      name: 'returns the usage of an account, and none of its content',
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
      name: 'finds a user by email address without revealing it',
      kind: 'success',
      before: world => world.mail(),
      ...byAdmin,
      params: ({ owner }) => ({ search: `${owner.username}@example.com` }),
      answer: ({ owner }) => ({ users: [{ username: owner.username }] }),
      after: (_world, answer) => assert.ok(!JSON.stringify(answer).includes('@'))
    },
    {
      name: 'returns where the next page starts',
      kind: 'success',
      ...byAdmin,
      params: { limit: 1 },
      after: (_world, { next, users }) => assert.equal(next, users[0].username)
    },
    {
      name: 'searches for wildcards literally',
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
      name: 'returns one account',
      kind: 'success',
      ...byAdmin,
      params: username,
      answer: ({ owner }) => ({ user: { username: owner.username, state: 'active' } })
    },
    {
      name: 'returns a suspended account without opening it',
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
      name: 'limits the storage of the account',
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
      name: 'restores the default limit',
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
      name: 'suspends the account',
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
      name: 'changes nothing in an account that is suspended',
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
      name: 'restores access to the account, unchanged',
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
      name: 'reopens an account that its owner has deleted',
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

  'system.getAccess': [
    {
      name: 'finds the access and its owner by the id alone, whatever its serial, without the token',
      kind: 'success',
      ...byAdmin,
      params: world => ({ id: `${world.client('restricted').access.id}:3` }),
      answer: world => ({
        access: { id: world.client('restricted').access.id, type: 'shared', permissions: Array },
        owner: { username: world.owner.username, userId: /^c/ }
      }),
      after: (_world, { access }) => lacks(access, 'token', 'apiEndpoint', 'clientData')
    },
    {
      name: 'searches one account',
      kind: 'success',
      ...byAdmin,
      params: ({ owner }) => ({ id: owner.access.id, username: owner.username.toUpperCase() }),
      answer: ({ owner }) => ({ access: { id: owner.access.id, type: 'personal' } })
    },
    ...['cunknown', 'a:0', 'a:01', 'a:', ':1', 'a:1:2', 'a:x'].map((id): Scenario => ({
      name: `does not find ${id}`,
      kind: 'unknown',
      ...byAdmin,
      params: { id },
      ...hidden
    })),
    {
      name: 'does not find the access of one account in another',
      kind: 'unknown',
      ...byAdmin,
      params: ({ owner }) => ({ id: owner.access.id, username: 'nobody' }),
      ...hidden
    },
    {
      name: 'refuses other params',
      kind: 'params',
      ...byAdmin,
      params: ({ owner }) => ({ id: owner.access.id, unheardOf: 1 }),
      ...invalid
    },
    ...toOthers(({ owner }) => ({ id: owner.access.id }))
  ],

  'system.getBreachScope': [
    {
      name: 'returns what the access has read, and from where',
      kind: 'success',
      before: async world => void (await world.client('restricted').do('events.get', { limit: 1 })),
      ...byAdmin,
      params: world => ({
        username: world.owner.username,
        id: world.client('restricted').access.id,
        format: 'csv'
      }),
      answer: ({ owner }) => ({
        owner: { username: owner.username },
        breachScope: { since: null, until: null, streams: Array, addresses: [{ ip: '127.0.0.1' }] },
        csv: /^\ufeffstream,name,kinds/
      })
    },
    {
      name: 'does not find an unknown access',
      kind: 'unknown',
      ...byAdmin,
      params: ({ owner }) => ({ username: owner.username, id: 'cunknown' }),
      ...hidden
    },
    {
      name: 'does not find an unknown user',
      kind: 'unknown',
      ...byAdmin,
      params: { username: 'nobody', id: 'cunknown' },
      ...hidden
    },
    ...['since', 'until', 'format'].map((name): Scenario => ({
      name: `refuses text as ${name}`,
      kind: 'params',
      ...byAdmin,
      params: ({ owner }) => ({ username: owner.username, id: 'cunknown', [name]: 'yesterday' }),
      ...invalid
    })),
    ...toOthers(({ owner }) => ({ username: owner.username, id: owner.access.id }))
  ],

  'system.getDeeds': [
    {
      name: 'returns actions with target, details and IP address',
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
      name: 'returns actions before a number',
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
      name: 'returns the growth of the service, oldest day first',
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
          // Today's values are current, not measured.
          { time: today, accounts: server.services.platform.accountStatuses.counts().accounts, ...measured }
        ])
      }
    },
    ...withoutParams
  ],

  'system.getSettings': [
    {
      name: 'returns the active settings, and of secrets only whether they are set',
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
