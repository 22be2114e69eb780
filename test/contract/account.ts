/** Scenarios of the methods on the account. (docs/spec/accounts.md#account-object) */
import assert from 'node:assert/strict'
import { withoutToken, type Contract, type Scenario } from './scenario.js'
import type { World } from './world.js'

const others = ['app', 'manager', 'reader', 'sensor'] as const

/** Gives the account an address of its own, and one to another account. */
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

const token = 'a-token-of-the-contract'

/** An address that an app has set, with the token that was mailed to it. */
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
  'account.getEmail': [
    {
      name: 'answers an address that counts',
      kind: 'success',
      before: settle,
      answer: ({ owner: { username } }) => ({
        email: { address: emailOf(username), isConfirmed: true, confirmedAddress: emailOf(username) }
      })
    },
    {
      name: 'answers one that does not, beside the one that does',
      kind: 'success',
      before: setByApp,
      answer: ({ owner: { username } }) => ({
        email: { address: /by-an-app/, isConfirmed: false, confirmedAddress: emailOf(username) }
      })
    },
    {
      name: 'answers that there is none',
      kind: 'success',
      answer: { email: { address: null, isConfirmed: false, confirmedAddress: null } }
    },
    ...refusedTo({}),
    ...withoutToken()
  ],

  'account.requestEmailConfirmation': [
    { name: 'has a link sent', kind: 'success', before: setByApp, answer: {} },
    {
      name: 'is refused where nothing waits to be confirmed',
      kind: 'state',
      params: {},
      error: 'invalid-operation'
    },
    ...refusedTo({}),
    ...withoutToken()
  ],

  'account.confirmEmail': [
    {
      name: 'makes the address count',
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
      name: 'refuses a token that nobody was mailed',
      kind: 'state',
      params: { token: 'made up' },
      error: 'invalid-parameter'
    },
    ...refusedTo({ token }),
    ...withoutToken({ token })
  ],

  'account.get': [
    {
      name: 'answers the values in force, and what is stored',
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

  'account.keep': [
    {
      name: 'opens an account again that is to be deleted',
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
    { name: 'refuses an account that nobody deletes', kind: 'state', error: 'unknown-resource' },
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
    { name: 'answers a ZIP', kind: 'success', only: 'http', type: 'application/zip' },
    {
      name: 'is not a part of batches, nor of what sockets carry',
      kind: 'state',
      only: 'batch',
      error: 'invalid-operation'
    },
    ...refusedTo({}),
    ...withoutToken()
  ],

  'account.update': [
    {
      name: 'answers the account as changed',
      kind: 'success',
      before: settle,
      params: { update: { email: 'New@Example.com', language: 'fr' } },
      answer: { account: { email: 'New@Example.com', language: 'fr' } },
      // Addresses are one account's only: the next world wants this one too.
      after: async ({ owner }) => {
        await owner.do('account.update', { update: { email: emailOf(owner.username) } })
      }
    },
    {
      name: 'takes the value that is there already',
      kind: 'success',
      before: settle,
      params: ({ owner }) => ({ update: { email: emailOf(owner.username).toUpperCase() } }),
      answer: ({ owner }) => ({ account: { email: emailOf(owner.username).toUpperCase() } })
    },
    {
      name: 'takes no change',
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
      name: 'refuses an address that another account has, in whatever letters',
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
