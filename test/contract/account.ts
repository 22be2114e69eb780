/** Scenarios of the methods on the account. (docs/spec/accounts.md#account-object) */
import assert from 'node:assert/strict'
import { closedToOthers, withoutToken, type Contract, type Scenario } from './scenario.js'
import type { World } from './world.js'

const others = ['app', 'manager', 'reader', 'sensor'] as const

/** Gives the account an email address, and another account one, too. */
async function settle(world: World): Promise<void> {
  const { owner, service } = world
  await world.mail()
  const name = `other-${owner.username}`
  await service.user(name, { email: emailOf(name) })
}

function emailOf(username: string): string {
  return `${username}@example.com`
}

const refusedTo = (params: object): Scenario[] =>
  others.map(by => ({ name: `is refused to ${by}`, kind: 'caller', by, params, error: 'forbidden' }))

const trustedOrigin = ({ service }: World): Record<string, string> => ({ origin: service.server.url })

const token = 'a-token-of-the-contract'

/** Sets an address by an app, and mails the given token to it. */
async function setByApp(world: World): Promise<void> {
  await settle(world)
  const { owner, service } = world
  const { username } = owner
  const address = `${username}@by-an-app.example.com`
  const app = await owner.grant('create-only', ':system:email', { name: `sets ${Math.random()}` })
  await app.do('events.create', { streamIds: [':system:email'], type: 'email/string', content: address })
  await service.call(undefined, 'test.mailConfirmation', { username, token, address })
}

export const accountScenarios: Contract = {
  'account.changeUsername': [
    {
      name: 'changes the name, and returns how often it can still be changed',
      kind: 'success',
      params: ({ owner }) => ({ newUsername: `new-${owner.username}`.slice(0, 60) }),
      answer: ({ owner }) => ({
        account: { username: `new-${owner.username}`.slice(0, 60) },
        usernameChangesRemaining: 1
      })
    },
    {
      name: 'refuses a name without a value',
      kind: 'params',
      params: { newUsername: null },
      error: 'invalid-parameters-format'
    },
    {
      name: 'refuses the present name',
      kind: 'state',
      params: ({ owner }) => ({ newUsername: owner.username }),
      error: 'invalid-operation'
    },
    {
      name: 'refuses the name of another account',
      kind: 'state',
      before: settle,
      params: ({ owner }) => ({ newUsername: `other-${owner.username}` }),
      error: 'item-already-exists'
    },
    ...refusedTo({ newUsername: 'of-an-app' }),
    ...withoutToken({ newUsername: 'of-no-one' })
  ],

  'account.getUsernameChanges': [
    {
      name: 'returns how often the name was and can be changed',
      kind: 'success',
      answer: { usernameChangesRemaining: 2, usernameChangesLimit: 2, usernameChangesUsed: 0 }
    },
    {
      name: 'refuses params',
      kind: 'params',
      params: { username: 'somebody' },
      error: 'invalid-parameters-format'
    },
    ...refusedTo({}),
    ...withoutToken()
  ],

  'account.getEmail': [
    {
      name: 'returns a confirmed address',
      kind: 'success',
      before: settle,
      answer: ({ owner: { username } }) => ({
        email: { address: emailOf(username), isConfirmed: true, confirmedAddress: emailOf(username) }
      })
    },
    {
      name: 'returns an unconfirmed address and the last confirmed one',
      kind: 'success',
      before: setByApp,
      answer: ({ owner: { username } }) => ({
        email: { address: /by-an-app/, isConfirmed: false, confirmedAddress: emailOf(username) }
      })
    },
    {
      name: 'returns null without an address',
      kind: 'success',
      answer: { email: { address: null, isConfirmed: false, confirmedAddress: null } }
    },
    ...refusedTo({}),
    ...withoutToken()
  ],

  'account.requestEmailConfirmation': [
    { name: 'sends a link', kind: 'success', before: setByApp, answer: {} },
    {
      name: 'refuses if no address awaits confirmation',
      kind: 'state',
      params: {},
      error: 'invalid-operation'
    },
    ...refusedTo({}),
    ...withoutToken()
  ],

  'account.confirmEmail': [
    {
      name: 'confirms the address',
      kind: 'success',
      before: setByApp,
      params: { token },
      answer: {},
      after: async ({ owner }) => {
        const { email } = await owner.do('account.getEmail')
        assert.ok(email.isConfirmed)
        assert.equal((await owner.call('account.confirmEmail', { token })).error.id, 'invalid-parameter')
      }
    },
    ...[{}, { token: '' }, { token: 12 }, { token: null }, { token, username: 'x' }].map(
      (params): Scenario => ({
        name: `refuses ${JSON.stringify(params)}`,
        kind: 'params',
        params,
        error: 'invalid-parameters-format'
      })
    ),
    {
      name: 'refuses a token that was never mailed',
      kind: 'state',
      params: { token: 'made up' },
      error: 'invalid-parameter'
    },
    ...refusedTo({ token }),
    ...withoutToken({ token })
  ],

  'account.get': [
    {
      name: 'returns the active values and the storage used',
      kind: 'success',
      before: settle,
      answer: ({ owner: { username } }) => ({
        account: {
          username,
          email: emailOf(username),
          language: 'en',
          storageUsed: { dbDocuments: Number, attachedFiles: 0 }
        }
      })
    },
    ...refusedTo({}),
    ...withoutToken()
  ],

  'account.verifyEmail': [
    {
      name: 'verifies an address',
      kind: 'success',
      headers: trustedOrigin,
      before: async ({ owner, service }) => {
        const { username } = owner
        const address = `Further@${username}.example.com`
        await service.call(undefined, 'test.mailVerification', {
          username,
          address,
          token: `for-${username}`
        })
      },
      params: ({ owner: { username } }) => ({ appId: 'some-app', token: `for-${username}` }),
      answer: { email: /^Further@/ },
      after: async ({ owner }) => {
        const { account } = await owner.do('account.get')
        const { status, verificationMethod } = account.emails.at(-1)
        assert.deepEqual([status, verificationMethod], ['verified', 'email-link'])
      }
    },
    ...['wrong', ''].map((given): Scenario => ({
      name: `refuses the token "${given}"`,
      kind: 'unknown',
      headers: trustedOrigin,
      params: { appId: 'some-app', token: given },
      error: 'invalid-access-token'
    })),
    {
      name: 'refuses an untrusted origin',
      kind: 'caller',
      headers: { origin: 'https://evil.example.com' },
      params: { appId: 'some-app', token: 'wrong' },
      error: 'forbidden'
    },
    {
      name: 'requires a token',
      kind: 'params',
      headers: trustedOrigin,
      params: { appId: 'some-app' },
      error: 'invalid-parameters-format'
    }
  ],

  'account.resumeDeliveries': [
    { name: 'does nothing without a pause', kind: 'success', params: {}, answer: { resumed: false } },
    {
      name: 'refuses other params',
      kind: 'params',
      params: { unheardOf: 1 },
      error: 'invalid-parameters-format'
    },
    ...closedToOthers(),
    ...withoutToken()
  ],

  'account.keep': [
    {
      name: 'reopens an account that is scheduled for deletion',
      kind: 'success',
      only: 'http',
      before: async world => {
        const { owner, service } = world
        const { username } = owner
        await service.call(undefined, 'test.noteSignIns', { username })
        const { services } = service.server
        await services.accounts.closeUntilDeletion(services.accounts.find(username)!, 4_102_444_800)
        assert.equal((await owner.call('events.get')).error.id, 'forbidden')
      },
      answer: ({ owner: { username } }) => ({ keptAccount: { username } }),
      after: async ({ owner }) => assert.ok((await owner.do('events.get')).events)
    },
    {
      name: 'refuses an account that is not scheduled for deletion',
      kind: 'state',
      error: 'unknown-resource'
    },
    {
      name: 'refuses other params',
      kind: 'params',
      params: { unheardOf: 1 },
      error: 'invalid-parameters-format'
    },
    ...refusedTo({}),
    ...withoutToken()
  ],

  'account.export': [
    { name: 'returns a ZIP archive', kind: 'success', only: 'http', type: 'application/zip' },
    {
      name: 'returns a folder to read',
      kind: 'success',
      only: 'http',
      params: { form: 'folder', zone: 'Europe/Zurich', language: 'fr' },
      type: 'application/zip'
    },
    {
      name: 'refuses an unknown time zone',
      kind: 'params',
      only: 'http',
      params: { form: 'folder', zone: 'Nowhere' },
      error: 'invalid-parameters-format'
    },
    {
      name: 'refuses batches and sockets',
      kind: 'state',
      only: 'batch',
      error: 'invalid-operation'
    },
    ...refusedTo({}),
    ...withoutToken()
  ],

  'account.update': [
    {
      name: 'returns the changed account',
      kind: 'success',
      before: settle,
      params: { update: { email: 'New@Example.com', language: 'fr' } },
      answer: { account: { email: 'New@Example.com', language: 'fr' } },
      // Addresses are unique: the next world uses this one, too.
      after: async ({ owner }) => {
        await owner.do('account.update', { update: { email: emailOf(owner.username) } })
      }
    },
    {
      name: 'accepts the current address in another case',
      kind: 'success',
      before: settle,
      params: ({ owner }) => ({ update: { email: emailOf(owner.username).toUpperCase() } }),
      answer: ({ owner }) => ({ account: { email: emailOf(owner.username).toUpperCase() } })
    },
    {
      name: 'accepts an empty update',
      kind: 'success',
      params: { update: {} },
      answer: { account: { language: 'en' } }
    },
    ...[
      { email: 12 },
      { email: '' },
      { email: null },
      { language: 'too long' },
      { unheardOf: 'x' },
      { email: {} }
    ].map((update): Scenario => ({
      name: `refuses ${JSON.stringify(update)}`,
      kind: 'params',
      params: { update },
      error: 'invalid-parameters-format'
    })),
    ...[{ username: 'another-name' }, { storageUsed: 1 }, { dbDocuments: 1 }, { appId: 'another-app' }].map(
      (update): Scenario => ({
        name: `refuses to change ${Object.keys(update)[0]}`,
        kind: 'state',
        params: { update },
        error: 'invalid-operation'
      })
    ),
    {
      name: 'adds an address, pending',
      kind: 'success',
      params: ({ owner }) => ({ update: { emails: { add: [`${Math.random()}@${owner.username}`] } } }),
      after: (_world, { account }) => {
        const { primary, status, verifiedAt } = account.emails.at(-1)
        assert.deepEqual([primary, status, verifiedAt], [false, 'pending', null])
      }
    },
    ...[{ add: 'x' }, { add: [''] }, { add: Array(21).fill('x@y.example') }, { unheardOf: [] }].map(
      (emails): Scenario => ({
        name: `refuses the addresses ${JSON.stringify(emails).slice(0, 40)}`,
        kind: 'params',
        params: { update: { emails } },
        error: 'invalid-parameters-format'
      })
    ),
    ...[{ setPrimary: 'x@y.example' }, { remove: ['x@y.example'] }, { resend: ['x@y.example'] }].map(
      (emails): Scenario => ({
        name: `refuses ${JSON.stringify(emails)} for an address of others`,
        kind: 'state',
        params: { update: { emails } },
        error: 'invalid-operation',
        match: { data: { email: 'x@y.example' } }
      })
    ),
    {
      name: 'refuses an address of another account, ignoring case',
      kind: 'state',
      before: async world => {
        if (!world.service.server.dispatcher.services.accounts.find(`other-${world.owner.username}`))
          await settle(world)
      },
      params: ({ owner }) => ({ update: { language: 'de', email: `OTHER-${emailOf(owner.username)}` } }),
      error: 'item-already-exists',
      match: { data: { email: /^OTHER-/ } }
    },
    ...refusedTo({ update: { language: 'de' } }),
    ...withoutToken({ update: { language: 'de' } })
  ]
}
