/**
 * Scenarios of changing a password, and of resetting one by a mailed link. (docs/spec/authentication.md#passwords;
 * docs/spec/authentication.md#resetting-a-password)
 */
import assert from 'node:assert/strict'
import { withoutToken, type Contract, type Params, type Scenario } from './scenario.js'
import type { World } from './world.js'

const password = 'a long secret'
const newPassword = 'another long secret'
const appId = 'contract-app'
const resetToken = 'a-token-of-the-contract'

const headers = ({ service }: World): Record<string, string> => ({ origin: service.server.url })

/** Sets a password for the user. */
export async function setPassword({ service, owner }: World): Promise<void> {
  await service.call(undefined, 'test.setPassword', { username: owner.username, password })
}

async function mailToken({ service, owner }: World): Promise<void> {
  await service.call(undefined, 'test.mailToken', { username: owner.username, resetToken })
}

async function canSignIn({ service, owner }: World, given: string): Promise<boolean> {
  const params = { username: owner.username, password: given, appId }
  const credentials = { origin: service.server.url }
  const { token } = await service.call(owner.username, 'auth.login', params, undefined, credentials)
  return token !== undefined
}

const change = (fields: object = {}): Params => ({ oldPassword: password, newPassword, ...fields })
const reset = (fields: object = {}): Params => ({ appId, newPassword, resetToken, ...fields })

const untrusted = (params: Params): Scenario[] => [
  {
    name: 'refuses an untrusted origin',
    kind: 'caller',
    headers: { origin: 'https://evil.example.com' },
    params,
    error: 'forbidden'
  },
  {
    name: 'ignores the referer',
    kind: 'caller',
    only: 'http',
    headers: ({ service }) => ({ referer: service.server.url }),
    params,
    error: 'forbidden'
  }
]

export const passwordScenarios: Contract = {
  'account.changePassword': [
    {
      name: 'sets a new password',
      kind: 'success',
      before: setPassword,
      params: change(),
      answer: {},
      after: async world => {
        assert.ok(await canSignIn(world, newPassword))
        assert.ok(!(await canSignIn(world, password)))
        assert.equal((await world.owner.call('getAccessInfo')).error, undefined)
      }
    },
    ...[
      { oldPassword: undefined },
      { newPassword: undefined },
      { newPassword: 'short' },
      { newPassword: 'x'.repeat(101) },
      { newPassword: ['a', 'list'] },
      { oldPassword: 12 },
      { appId }
    ].map((fields): Scenario => ({
      name: `refuses ${JSON.stringify(fields).slice(0, 60)}, or without ${Object.keys(fields)[0]}`,
      kind: 'params',
      params: change(fields),
      error: 'invalid-parameters-format'
    })),
    {
      name: 'refuses a wrong old password',
      kind: 'state',
      params: change({ oldPassword: 'a wrong secret' }),
      error: 'invalid-operation'
    },
    ...(['app', 'reader'] as const).map((by): Scenario => ({
      name: `is refused to ${by}, which did not sign in`,
      kind: 'caller',
      by,
      params: change(),
      error: 'forbidden'
    })),
    ...withoutToken(change())
  ],

  'account.requestPasswordReset': [
    { name: 'returns nothing', kind: 'success', headers, params: { appId }, answer: {} },
    {
      name: 'needs no token',
      kind: 'success',
      by: 'nobody',
      only: 'http',
      headers,
      params: { appId },
      answer: {}
    },
    ...[{}, { appId: 'short' }, { appId: 12 }].map((params): Scenario => ({
      name: `refuses ${JSON.stringify(params)}`,
      kind: 'params',
      headers,
      params,
      error: 'invalid-parameters-format'
    })),
    ...untrusted({ appId })
  ],

  'account.resetPassword': [
    {
      name: 'sets a password by a token and ends sessions',
      kind: 'success',
      before: mailToken,
      headers,
      params: reset(),
      answer: {},
      after: async world => {
        assert.ok(await canSignIn(world, newPassword))
        assert.equal((await world.owner.call('getAccessInfo')).error.id, 'invalid-access-token')
        assert.equal((await world.client('app').call('getAccessInfo')).error, undefined)
      }
    },
    {
      name: 'needs no access token',
      kind: 'success',
      by: 'nobody',
      only: 'http',
      before: mailToken,
      headers,
      params: reset(),
      answer: {}
    },
    ...[
      { resetToken: undefined },
      { newPassword: undefined },
      { appId: undefined },
      { newPassword: 'short' },
      { resetToken: { $ne: '' } }
    ].map((fields): Scenario => ({
      name: `refuses ${JSON.stringify(fields)}, or without ${Object.keys(fields)[0]}`,
      kind: 'params',
      headers,
      params: reset(fields),
      error: 'invalid-parameters-format'
    })),
    {
      name: 'refuses an invalid token',
      kind: 'state',
      headers,
      params: reset({ resetToken: 'no-such-token' }),
      error: 'invalid-access-token'
    },
    ...untrusted(reset())
  ]
}
