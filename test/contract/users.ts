/**
 * Scenarios of the operator's routes and of deleting accounts. (docs/spec/administration.md;
 * docs/spec/accounts.md#deleting-an-account)
 */
import assert from 'node:assert/strict'
import { setPassword } from './passwords.js'
import type { Contract, Scenario } from './scenario.js'
import { adminKey, type World } from './world.js'

export const username = ({ owner }: World): object => ({ username: owner.username })
export const hidden = { error: 'unknown-resource' } as const

/** The routes are hidden from all callers except the operator. */
export const toOthers = (params: (world: World) => object): Scenario[] => [
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
  const { streams } = await again.do('streams.get', { state: 'all' })
  assert.ok(streams.every(({ id }: { id: string }) => id.startsWith(':')))
}

/** A hash of `a long secret`, computed elsewhere. */
const passwordHash = '$2b$04$wMPiaJzQKRSdtTnzUIOtxODBaQQ1cRM8dwGhZ6eoAIWQ5zLxLLnWC'

/** Returns the fields of a new user. */
const newcomer =
  (fields: object = {}) =>
  ({ owner }: World): object => {
    const name = owner.username.replace('user-', 'made-')
    return { username: name, passwordHash, email: `${name}@example.org`, language: 'fr', ...fields }
  }

/** By the operator, who is only known over HTTP. */
export const byAdmin = { by: 'admin', only: 'http' } as const

/** Scenarios common to methods without params. */
export const withoutParams: readonly Scenario[] = [
  {
    name: 'refuses unknown params',
    kind: 'params',
    ...byAdmin,
    params: { unheardOf: 1 },
    error: 'invalid-parameters-format'
  },
  ...toOthers(() => ({}))
]

export const unknownUser: Scenario = {
  name: 'refuses unknown users',
  kind: 'unknown',
  ...byAdmin,
  params: { username: 'nobody-of-that-name' },
  ...hidden
}

export const noName: Scenario = {
  name: 'refuses invalid names',
  kind: 'params',
  only: 'batch',
  params: { username: 12 },
  ...hidden
}

const move = async ({ owner, service }: World): Promise<void> => {
  const { body } = await service.http(
    'POST',
    `/system/users/${owner.username}/relocation`,
    { url: 'https://new.example/' },
    { authorization: adminKey }
  )
  assert.equal(body.relocation.username, owner.username)
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
      name: 'deletes nothing in a dry run',
      kind: 'success',
      by: 'admin',
      only: 'http',
      params: ({ owner }) => ({ username: owner.username, dryRun: true, onlyReg: true }),
      answer: { result: { dryRun: true, deleted: false } }
    },
    {
      name: 'refuses to remove the registration alone',
      kind: 'params',
      by: 'admin',
      only: 'http',
      params: ({ owner }) => ({ username: owner.username, onlyReg: true }),
      error: 'invalid-operation'
    },
    {
      name: 'refuses other params',
      kind: 'params',
      params: ({ owner }) => ({ username: owner.username, unheardOf: 1 }),
      error: 'invalid-parameters-format'
    },
    {
      name: 'deletes it for its owner if the settings allow it',
      kind: 'success',
      before: setPassword,
      params: ({ owner }) => ({ username: owner.username.toUpperCase(), password: 'a long secret' }),
      answer: ({ owner }) => ({ userDeletion: { username: owner.username } }),
      after: isGone
    },
    {
      name: 'requires proof of identity',
      kind: 'state',
      before: setPassword,
      params: username,
      error: 'invalid-operation'
    },
    {
      name: 'refuses a wrong password',
      kind: 'state',
      before: setPassword,
      params: ({ owner }) => ({ username: owner.username, password: 'a wrong secret' }),
      error: 'invalid-operation'
    },
    {
      name: 'refuses unknown users',
      kind: 'unknown',
      by: 'admin',
      only: 'http',
      params: { username: 'nobody-of-that-name' },
      ...hidden
    },
    {
      name: 'refuses unknown users for any caller',
      kind: 'unknown',
      params: { username: 'nobody-of-that-name' },
      ...hidden
    },
    {
      name: 'refuses invalid names',
      kind: 'params',
      only: 'batch',
      params: { username: 12 },
      error: 'invalid-parameters-format'
    },
    ...toOthers(username).filter(({ by }) => by !== 'owner')
  ],

  'system.createUser': [
    {
      name: 'returns the id of the new account',
      kind: 'success',
      ...byAdmin,
      params: newcomer({ unheardOf: 1, appId: null, referer: 'a-page' }),
      answer: { id: /^c[a-z0-9]{24}$/ },
      after: async ({ owner, service }) => {
        const { userInfo } = (
          await service.http(
            'GET',
            `/system/user-info/${owner.username.replace('user-', 'made-')}`,
            undefined,
            {
              authorization: adminKey
            }
          )
        ).body
        assert.equal(userInfo.callsTotal, 0)
      }
    },
    ...(
      [
        [{ username: undefined }, 'username-required'],
        [{ username: 'Capital' }, 'username-invalid'],
        [{ passwordHash: undefined }, 'passwordHash-required'],
        [{ passwordHash: 'a long secret' }, 'passwordHash-invalid'],
        [
          { passwordHash: '$2b$31$wMPiaJzQKRSdtTnzUIOtxODBaQQ1cRM8dwGhZ6eoAIWQ5zLxLLnWC' },
          'passwordHash-invalid'
        ],
        [{ passwordHash: { a: 1 } }, 'passwordHash-invalid'],
        [{ email: undefined }, 'email-required'],
        [{ email: { a: 1 } }, 'email-invalid'],
        [{ language: undefined }, 'language-required'],
        [{ language: 'longer' }, 'language-invalid']
      ] as const
    ).map(([fields, code]): Scenario => ({
      name: `refuses ${JSON.stringify(fields)}: ${code}`,
      kind: 'params',
      ...byAdmin,
      params: newcomer(fields),
      error: 'invalid-parameters-format',
      match: { data: [{ code }] }
    })),
    {
      name: 'refuses a taken name and address, reporting both',
      kind: 'state',
      before: world => world.mail(),
      ...byAdmin,
      params: ({ owner }) =>
        newcomer({ username: owner.username, email: `${owner.username}@example.com` })({ owner } as World),
      error: 'item-already-exists',
      match: { data: { username: /^user-/, email: /@example.com$/ } }
    },
    ...toOthers(newcomer())
  ],

  'system.getUserInfo': [
    {
      name: 'returns the storage and usage of the account',
      kind: 'success',
      ...byAdmin,
      params: username,
      answer: ({ owner }) => ({
        userInfo: {
          username: owner.username,
          storageUsed: { dbDocuments: Number, attachedFiles: 0 },
          lastAccess: Number,
          callsTotal: Number,
          callsDetail: { 'events:create': 5, 'events:getOne': 0, callBatch: 1 },
          callsPerAccess: { 'coffer-test': Number, shared: 0, 'an-app-that-manages': 0 }
        }
      })
    },
    unknownUser,
    noName,
    ...toOthers(username)
  ],

  'system.deactivateMfa': [
    {
      name: 'removes only the second factor',
      kind: 'success',
      ...byAdmin,
      params: username,
      text: '',
      before: async ({ owner, service }) => {
        await owner.do('profile.updatePrivate', { update: { colour: 'blue' } })
        await service.call(undefined, 'test.changeProfile', {
          username: owner.username,
          update: { mfa: { content: { phone: '1' } } }
        })
      },
      after: async ({ owner, service }) => {
        const { profile } = await service.call(undefined, 'test.changeProfile', {
          username: owner.username,
          update: {}
        })
        assert.deepEqual(profile, { colour: 'blue' })
      }
    },
    { name: 'succeeds if there is none', kind: 'success', ...byAdmin, params: username, text: '' },
    unknownUser,
    noName,
    ...toOthers(username)
  ],

  'system.createResetLink': [
    {
      name: 'returns a link that sets a new password',
      kind: 'success',
      ...byAdmin,
      params: username,
      answer: ({ owner }) => ({
        resetLink: {
          username: owner.username,
          url: /\/access\/reset-password\.html\?resetToken=[^&]+&username=/,
          expires: Number
        }
      })
    },
    unknownUser,
    noName,
    ...toOthers(username)
  ],

  'system.openSession': [
    {
      name: 'signs a user in for commands on this machine',
      kind: 'success',
      by: 'command',
      only: 'http',
      params: ({ owner }) => ({ username: owner.username, appId: 'my-app' }),
      answer: ({ owner }) => ({
        username: owner.username,
        id: /^c[a-z0-9]{24}$/,
        token: String,
        apiEndpoint: /^http/
      })
    },
    { ...unknownUser, by: 'command', params: { username: 'nobody-of-that-name', appId: 'my-app' } },
    {
      name: 'hides the method from operators',
      kind: 'caller',
      ...byAdmin,
      params: ({ owner }) => ({ username: owner.username, appId: 'my-app' }),
      ...hidden
    },
    {
      name: 'refuses apps without a name',
      kind: 'params',
      by: 'command',
      only: 'http',
      params: ({ owner }) => ({ username: owner.username, appId: '' }),
      error: 'invalid-parameters-format'
    },
    ...toOthers(({ owner }) => ({ username: owner.username, appId: 'my-app' }))
  ],

  'system.setPassword': [
    {
      name: 'sets the password and ends sessions',
      kind: 'success',
      ...byAdmin,
      params: ({ owner }) => ({ username: owner.username, passwordHash }),
      answer: ({ owner }) => ({ username: owner.username }),
      after: async ({ owner }) => assert.equal((await owner.call('events.get')).status, 401)
    },
    {
      name: 'refuses a hash of an unknown format',
      kind: 'params',
      ...byAdmin,
      params: ({ owner }) => ({ username: owner.username, passwordHash: 'plain words' }),
      error: 'invalid-parameters-format'
    },
    { ...unknownUser, params: { username: 'nobody-of-that-name', passwordHash } },
    ...toOthers(({ owner }) => ({ username: owner.username, passwordHash }))
  ],

  'system.unlockUser': [
    {
      name: 'returns nothing, whether sign-in was throttled or not',
      kind: 'success',
      ...byAdmin,
      params: username,
      text: ''
    },
    unknownUser,
    noName,
    ...toOthers(username)
  ],

  'system.checkPlatformIntegrity': [
    {
      name: 'finds no errors',
      kind: 'success',
      ...byAdmin,
      answer: {
        checks: [
          { title: 'Platform file', errors: [], infos: { accounts: Number } },
          { title: 'Account databases', errors: [] },
          { title: 'Unique fields', errors: [] },
          { title: 'Accounts with webhooks', errors: [] }
        ]
      }
    },
    ...withoutParams
  ],

  'system.relocateUser': [
    {
      name: 'returns the new server and redirects calls to it',
      kind: 'success',
      ...byAdmin,
      params: ({ owner }) => ({ username: owner.username, url: 'https://new.example/' }),
      answer: ({ owner }) => ({ relocation: { username: owner.username, url: 'https://new.example/' } }),
      after: async ({ owner }) => {
        const { error, status } = await owner.call('events.get')
        assert.equal(status, 301)
        assert.equal(error.data, 'https://new.example/')
      }
    },
    ...[
      '',
      'new.example',
      'ftp://new.example/',
      'https://user:pass@new.example/',
      'https://new.example/\r\nX: y',
      12
    ].map((url): Scenario => ({
      name: `refuses ${JSON.stringify(url)}`,
      kind: 'params',
      ...byAdmin,
      params: ({ owner }) => ({ username: owner.username, url }),
      error: 'invalid-parameters-format'
    })),
    { ...unknownUser, params: { username: 'nobody-of-that-name', url: 'https://new.example/' } },
    ...toOthers(({ owner }) => ({ username: owner.username, url: 'https://new.example/' }))
  ],

  'system.bringBackUser': [
    {
      name: 'serves the account again',
      kind: 'success',
      ...byAdmin,
      before: move,
      params: username,
      answer: ({ owner }) => ({ relocationDeletion: { username: owner.username } }),
      after: async ({ owner }) => assert.equal((await owner.do('events.get')).events.length, 3)
    },
    { name: 'refuses an account that has not moved', kind: 'state', ...byAdmin, params: username, ...hidden },
    { name: 'refuses unknown params', kind: 'params', only: 'batch', params: { unheardOf: 1 }, ...hidden },
    unknownUser,
    ...toOthers(username)
  ],

  'admin.getUsers': [
    {
      name: 'returns all accounts, newest first',
      kind: 'success',
      before: world => world.mail(),
      ...byAdmin,
      answer: {},
      after: ({ owner }, { users }) => {
        const user = users.find((each: { username: string }) => each.username === owner.username)
        assert.equal(user.email, `${owner.username}@example.com`)
        assert.equal(user.language, 'en')
        const times = users.map((each: { registeredTimestamp: string }) => Number(each.registeredTimestamp))
        assert.deepEqual(
          times,
          times.toSorted((a: number, b: number) => b - a)
        )
      }
    },
    ...withoutParams
  ],

  'admin.getUser': [
    {
      name: 'returns the account',
      kind: 'success',
      before: world => world.mail(),
      ...byAdmin,
      params: username,
      answer: ({ owner }) => ({
        user: { username: owner.username, email: /@example.com$/, id: /^c/, server: /^127\.0\.0\.1:/ }
      })
    },
    unknownUser,
    noName,
    ...toOthers(username)
  ],

  'admin.getServers': [
    {
      name: 'returns the number of accounts of each server',
      kind: 'success',
      ...byAdmin,
      before: move,
      answer: ({ service }) => ({
        servers: { [new URL(service.server.url).host]: Number, 'new.example': Number }
      })
    },
    ...toOthers(() => ({}))
  ],

  'admin.getServerUsers': [
    {
      name: 'returns the accounts of a server',
      kind: 'success',
      ...byAdmin,
      before: move,
      params: { server: 'new.example' },
      answer: {},
      after: ({ owner }, { users }) => {
        assert.ok(users.every(({ server }: { server: string }) => server === 'new.example'))
        assert.ok(users.some((user: { username: string }) => user.username === owner.username))
      }
    },
    { name: 'refuses invalid names', kind: 'params', only: 'batch', params: { server: 12 }, ...hidden },
    ...toOthers(() => ({ server: 'new.example' }))
  ],

  'admin.getInvitations': [
    {
      name: 'returns all of them',
      kind: 'success',
      ...byAdmin,
      before: async ({ owner, service }) => {
        const path = `/reg/admin/invitations/post?message=${owner.username}`
        await service.http('GET', path, undefined, { authorization: adminKey })
      },
      answer: {},
      after: ({ owner }, { invitations }) => {
        const made = invitations.find(
          ({ description }: { description: string }) => description === owner.username
        )
        assert.match(made.id, /^[a-z]{5}$/)
        assert.equal(made.createdBy, 'admin')
        assert.equal(made.consumedAt, undefined)
      }
    },
    ...toOthers(() => ({}))
  ],

  'admin.createInvitations': [
    {
      name: 'returns the requested number',
      kind: 'success',
      ...byAdmin,
      params: { count: 3, message: 'for you' },
      answer: {
        data: [{ id: /^[a-z]{5}$/, createdAt: Number, createdBy: 'admin', description: 'for you' }, {}, {}]
      }
    },
    ...[0, 1001, 'many'].map((count): Scenario => ({
      name: `refuses ${count} of them`,
      kind: 'params',
      ...byAdmin,
      params: { count },
      error: 'invalid-parameters-format'
    })),
    ...toOthers(() => ({ count: 1 }))
  ]
}
