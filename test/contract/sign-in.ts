/** Scenarios of signing in and of registration. (docs/spec/authentication.md#signing-in; docs/spec/registration.md) */
import assert from 'node:assert/strict'
import { setPassword } from './passwords.js'
import { lacks, withoutToken, type Contract, type Params, type Scenario } from './scenario.js'
import type { World } from './world.js'

const password = 'a long secret'
const appId = 'contract-app'

/** Headers of the service's own pages, which are trusted by default. */
const headersOf = ({ service }: World): Record<string, string> => ({ origin: service.server.url })

const login =
  (fields: object = {}): Params =>
  ({ owner }) => ({ username: owner.username, password, appId, ...fields })

const signingIn = { before: setPassword, headers: headersOf } as const

/** Returns the registration of a new user. */
const registration =
  (fields: object = {}, prefix = 'new-'): Params =>
  ({ owner }) => {
    const username = owner.username.replace('user-', prefix)
    return { username, password, email: `${username}@example.org`, appId, ...fields }
  }

export const signInScenarios: Contract = {
  'auth.login': [
    {
      name: 'returns a token and the API endpoint',
      kind: 'success',
      ...signingIn,
      params: login(),
      answer: ({ owner }) => ({
        token: /^c[a-z0-9]{24}$/,
        apiEndpoint: new RegExp(`^http://c.+@.+/${owner.username}/$`),
        preferredLanguage: 'en'
      }),
      after: async ({ service, owner }, answer) => {
        lacks(answer, 'password', 'passwordHash', 'id', 'permissions')
        const info = await service.call(owner.username, 'getAccessInfo', {}, answer.token)
        assert.equal(info.type, 'personal')
        assert.equal(info.name, appId)
      }
    },
    {
      name: 'needs no token',
      kind: 'success',
      by: 'nobody',
      only: 'http',
      ...signingIn,
      params: login(),
      answer: { token: String }
    },
    {
      name: 'ignores the case of the username',
      kind: 'success',
      ...signingIn,
      params: ({ owner }) => ({ username: owner.username.toUpperCase(), password, appId }),
      answer: { token: String }
    },
    ...[
      { username: undefined },
      { password: undefined },
      { appId: undefined },
      { password: 12 },
      { appId: 'short' }
    ].map((fields): Scenario => ({
      name: `refuses ${JSON.stringify(fields)}, or without ${Object.keys(fields)[0]}`,
      kind: 'params',
      headers: headersOf,
      params: login(fields),
      error: 'invalid-parameters-format'
    })),
    {
      name: 'refuses the name of another user',
      kind: 'params',
      headers: headersOf,
      params: login({ username: 'somebody-else' }),
      error: 'invalid-operation'
    },
    {
      name: 'refuses a wrong password',
      kind: 'caller',
      headers: headersOf,
      params: login({ password: 'a wrong secret' }),
      error: 'invalid-credentials',
      match: { message: 'The given username/password pair is invalid.' }
    },
    {
      name: 'refuses an untrusted origin',
      kind: 'caller',
      headers: { origin: 'https://evil.example.com' },
      params: login(),
      error: 'forbidden'
    },
    { name: 'refuses calls without an origin', kind: 'caller', params: login(), error: 'forbidden' }
  ],

  'auth.logout': [
    {
      name: 'ends the session',
      kind: 'success',
      answer: {},
      after: async ({ owner }) => {
        assert.equal((await owner.call('getAccessInfo')).error.id, 'invalid-access-token')
        assert.equal((await owner.call('auth.logout')).error.id, 'invalid-access-token')
      }
    },
    ...(['app', 'reader'] as const).map((by): Scenario => ({
      name: `is refused to ${by}, which has no session`,
      kind: 'caller',
      by,
      error: 'forbidden'
    })),
    ...withoutToken()
  ],

  'auth.register': [
    {
      name: 'creates an account',
      kind: 'success',
      params: registration({ language: 'fr', hosting: 'default', unheardOf: 1 }),
      answer: { username: /^new-/, apiEndpoint: /^http:\/\/c.+@.+\/new-.+\/$/ },
      after: async ({ service }, { username }) => {
        const { status, body } = await service.http('GET', `/reg/${username}/check_username`)
        assert.equal(status, 409)
        assert.equal(body.reserved, true)
      }
    },
    {
      name: 'accepts null for optional fields',
      kind: 'success',
      params: registration({ invitationToken: null, referer: null, hosting: null }, 'newer-'),
      answer: { username: /^newer-/ }
    },
    ...(
      [
        [{ username: undefined }, 'username-required'],
        [{ username: 'abcd' }, 'username-invalid'],
        [{ username: 'a'.repeat(61) }, 'username-invalid'],
        [{ username: '-abcde' }, 'username-invalid'],
        [{ username: 'abcde-' }, 'username-invalid'],
        [{ username: 'ab cde' }, 'username-invalid'],
        [{ username: { $ne: '' } }, 'username-invalid'],
        [{ password: undefined }, 'password-required'],
        [{ password: 'short' }, 'password-invalid'],
        [{ password: 'x'.repeat(101) }, 'password-invalid'],
        [{ email: undefined }, 'email-required'],
        [{ email: { a: 1 } }, 'email-invalid'],
        [{ email: 'x'.repeat(301) }, 'email-invalid'],
        [{ appId: 'short' }, 'appid-invalid'],
        [{ language: 'longer' }, 'language-invalid'],
        [{ language: '' }, 'language-invalid'],
        [{ language: null }, 'language-invalid'],
        [{ referer: '' }, 'referer-invalid']
      ] as const
    ).map(([fields, code]): Scenario => ({
      name: `refuses ${JSON.stringify(fields).slice(0, 60)}: ${code}`,
      kind: 'params',
      params: registration(fields),
      error: 'invalid-parameters-format',
      match: { data: [{ code }] }
    })),
    {
      name: 'refuses a taken name and email address, reporting both',
      kind: 'state',
      before: world => world.mail(),
      params: ({ owner }) => ({
        username: owner.username,
        password,
        email: `${owner.username}@example.com`,
        appId
      }),
      error: 'item-already-exists',
      match: { data: { username: /^user-/, email: /@example.com$/ } }
    },
    {
      name: 'refuses reserved names',
      kind: 'state',
      params: registration({ username: 'admin' }),
      error: 'item-already-exists',
      match: { data: { username: 'admin' } }
    }
  ],

  'auth.registerOlder': [
    {
      name: 'accepts the older field names',
      kind: 'success',
      params: ({ owner }) => ({
        username: owner.username.replace('user-', 'older-'),
        password,
        email: `older-${owner.username}@example.org`,
        appid: appId,
        languageCode: 'fr',
        invitationtoken: 'enjoy'
      }),
      answer: { username: /^older-/, apiEndpoint: /^http/, server: /^http/ }
    },
    {
      name: 'refuses invalid fields',
      kind: 'params',
      params: registration({ appId: undefined, appid: 'short' }),
      error: 'invalid-parameters-format',
      match: { data: [{ code: 'appid-invalid' }] }
    }
  ]
}
