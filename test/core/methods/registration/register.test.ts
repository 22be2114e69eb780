/** Registration: validation, uniqueness, what is stored, and that a refusal leaves nothing. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openCoffer, type Answer, type Overrides } from '../../../support/coffer.js'

const origin = 'https://coffer.example.com'
const robert = {
  appId: 'test-app',
  username: 'robert',
  password: 'correct horse',
  email: 'Robert@example.com'
}

/** Drops fields whose value is `undefined`: JSON has none. */
function plain(fields: object): unknown {
  return JSON.parse(JSON.stringify(fields))
}

async function start(t: Test, overrides: Overrides = {}) {
  const service = await openCoffer(t, { publicUrl: origin, ...overrides })
  const { services } = service.server
  const register = async (fields: object = {}, ip = '127.0.0.1', method = 'auth.register'): Promise<Answer> =>
    await service.call(undefined, method, plain({ ...robert, ...fields }), undefined, { ip })
  const isUser = (name: string): boolean => services.accounts.find(name) !== undefined
  const folders = (): number =>
    readdirSync(join(service.directory, 'users'), { recursive: true }).filter(path =>
      String(path).endsWith('.sqlite')
    ).length
  return { service, clock: service.clock, services, register, isUser, folders }
}

t.test('auth.register', async t => {
  t.test('returns the username, and an endpoint whose token is a session of the app', async t => {
    const { service, services, register } = await start(t)
    const answer = await register()
    const [, token] = /^https:\/\/(c[a-z0-9]{24})@coffer\.example\.com\/robert\/$/.exec(answer.apiEndpoint)!
    t.strictSame(answer, {
      username: 'robert',
      apiEndpoint: `https://${token}@coffer.example.com/robert/`,
      accessId: undefined
    })
    t.match(await service.call('robert', 'callBatch', [], token), { results: [] })
    const login = { username: 'robert', password: robert.password, appId: 'test-app' }
    t.match(await service.call('robert', 'auth.login', login, undefined, { origin }), {
      token,
      preferredLanguage: 'en'
    })
    const store = services.accounts.openStore(services.accounts.find('robert')!)
    t.match(store.accesses.list(), [{ type: 'personal', name: 'test-app', createdBy: 'system' }])
    t.equal(store.account.passwords(10).length, 1)
    t.notMatch(store.account.password()!.hash, 'correct')
  })

  t.test('stores the given values, which account streams show', async t => {
    const { services, register } = await start(t)
    const kept = () => {
      const { account } = services.accounts.openStore(services.accounts.find('robert')!)
      return ['email', 'language', 'appId', 'referer', 'invitationToken'].map(name => account.field(name))
    }
    await register()
    t.strictSame(kept(), ['Robert@example.com', 'en', 'test-app', undefined, 'no-token'])
    await services.accounts.remove(services.accounts.find('robert')!)
    await register({ language: 'fr-CH', referer: 'a-friend', invitationToken: 'not-needed' })
    t.strictSame(kept(), ['Robert@example.com', 'fr-CH', 'test-app', 'a-friend', 'not-needed'])
  })

  t.test('accepts fields by their legacy names, and unknown ones', async t => {
    const { services, register } = await start(t)
    const older = {
      appId: undefined,
      appid: 'old-app',
      languageCode: 'de',
      invitationtoken: 'x',
      hosting: 'any',
      more: [1]
    }
    t.match(await register(older), { username: 'robert' })
    const { account } = services.accounts.openStore(services.accounts.find('robert')!)
    t.equal(account.field('language'), 'de')
  })

  t.test('accepts the username of a deleted account', async t => {
    const { services, register, folders } = await start(t)
    const first = await register()
    await services.accounts.remove(services.accounts.find('robert')!)
    t.equal(folders(), 1)
    const second = await register()
    t.equal(second.username, 'robert')
    t.not(second.apiEndpoint, first.apiEndpoint)
  })

  t.test('accepts null for optional fields, except the language', async t => {
    const { register } = await start(t)
    t.match(await register({ referer: null, invitationToken: null, hosting: null }), { username: 'robert' })
  })

  t.test('accepts names and passwords up to their limits', async t => {
    const { register } = await start(t)
    const good = [
      { username: 'abcde', password: '123456' },
      { username: 'a'.repeat(60), password: 'x'.repeat(100) },
      { username: '12345' },
      { username: 'with-some-dashes' },
      { appId: '123456', username: 'someone', language: 'x' },
      { email: 'not quite an address', username: 'another' }
    ]
    for (const [index, fields] of good.entries())
      t.match(await register({ email: `${index}@example.com`, ...fields }), { apiEndpoint: String })
  })
})

t.test('auth.register refuses', async t => {
  const bad = [
    ['username', undefined, 'username-required'],
    ['username', 'abcd', 'username-invalid'],
    ['username', 'a'.repeat(61), 'username-invalid'],
    ['username', '-abcde', 'username-invalid'],
    ['username', 'abcde-', 'username-invalid'],
    ['username', 'ABCDEF', 'username-invalid'],
    ['username', 'ab/../cd', 'username-invalid'],
    ['username', 'abcdé', 'username-invalid'],
    ['username', 'abc\0def', 'username-invalid'],
    ['username', 'abcdef\n', 'username-invalid'],
    ['username', { a: 1 }, 'username-invalid'],
    ['username', ['abcdef'], 'username-invalid'],
    ['password', undefined, 'password-required'],
    ['password', '12345', 'password-invalid'],
    ['password', 'x'.repeat(101), 'password-invalid'],
    ['password', 123456, 'password-invalid'],
    ['email', undefined, 'email-required'],
    ['email', '', 'email-invalid'],
    ['email', `${'a'.repeat(300)}@`, 'email-invalid'],
    ['email', { a: 1 }, 'email-invalid'],
    ['appId', undefined, 'appid-invalid'],
    ['appId', 'short', 'appid-invalid'],
    ['appId', 'x'.repeat(100), 'appid-invalid'],
    ['language', '', 'language-invalid'],
    ['language', 'abcdef', 'language-invalid'],
    ['language', null, 'language-invalid'],
    ['language', {}, 'language-invalid'],
    ['referer', '', 'referer-invalid'],
    ['referer', 'x'.repeat(100), 'referer-invalid'],
    ['referer', {}, 'referer-invalid'],
    ['invitationToken', 5, 'invitationToken-invalid'],
    ['hosting', {}, 'hosting-invalid']
  ] as const
  t.test('missing or invalid fields, each with its code', async t => {
    const { services, register, isUser, folders } = await start(t)
    for (const [param, value, code] of bad) {
      const answer = await register({ [param]: value })
      const name = `${param} ${JSON.stringify(value)?.slice(0, 40)}`
      t.match(answer, { status: 400, error: { id: 'invalid-parameters-format' } }, name)
      t.match(answer.error.data, [{ code, param, path: `#/${param}`, message: String }], name)
      t.equal(answer.error.data.length, 1, name)
    }
    t.notOk(isUser('robert'))
    t.equal(services.platform.findByUnique('email', 'robert@example.com'), undefined)
    t.equal(folders(), 1)
  })

  t.test('a body that is not an object', async t => {
    const { service } = await start(t)
    for (const params of [[], [robert], 'text', null, 5])
      t.match(await service.call(undefined, 'auth.register', params), { status: 400 })
  })

  t.test('usernames and addresses that are taken, in any letter case, and says which', async t => {
    const { register } = await start(t)
    await register()
    const taken = { username: 'robert', email: 'ROBERT@EXAMPLE.com' }
    const cases = [
      [{ email: 'new@example.com' }, { username: 'robert' }],
      [{ username: 'somebody', email: taken.email }, { email: taken.email }],
      [{ email: taken.email }, taken]
    ] as const
    for (const [fields, data] of cases) {
      const { status, error } = await register(fields)
      t.equal(status, 409)
      t.equal(error.id, 'item-already-exists')
      t.strictSame(error.data, data)
    }
  })

  for (const username of [
    'admin',
    'access',
    'users',
    'reset-password',
    'coffer',
    'coffer-support',
    'mine-alone'
  ])
    t.test(`the reserved name ${username}`, async t => {
      const { register, isUser } = await start(t, { registration: { reservedUsernames: ['Mine-Alone'] } })
      t.match(await register({ username }), {
        status: 409,
        error: { id: 'item-already-exists', data: { username } }
      })
      t.notOk(isUser(username))
    })

  t.test('all but one of several concurrent registrations of a username', async t => {
    const { register, folders } = await start(t)
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        register({ email: index < 3 ? robert.email : `${index}@example.com` })
      )
    )
    t.equal(answers.filter(({ apiEndpoint }) => apiEndpoint).length, 1)
    for (const { error } of answers.filter(answer => answer.error)) t.equal(error.data.username, 'robert')
    t.equal(folders(), 2)
  })

  t.test('all but one of several concurrent registrations of an address', async t => {
    const { register } = await start(t)
    const answers = await Promise.all([register(), register({ username: 'roberta' })])
    t.equal(answers.filter(({ apiEndpoint }) => apiEndpoint).length, 1)
    t.strictSame(answers.find(({ error }) => error).error.data, { email: robert.email })
  })

  t.test('too many registrations from one address', async t => {
    const { clock, register } = await start(t, { registration: { maxPerHour: 2 } })
    const another = async (index: number) =>
      await register({ username: `user-${index}`, email: `${index}@example.com` }, '192.0.2.1')
    await another(1)
    t.match(await another(1), { status: 409 }, 'does not count')
    await another(2)
    t.match(await another(3), { status: 429, error: { id: 'too-many-requests' } })
    t.ok((await register()).apiEndpoint, 'elsewhere')
    clock.advance(3601)
    t.ok((await another(3)).apiEndpoint)
  })
})

t.test('with invitations, auth.register', async t => {
  const invitation = {
    status: 400,
    error: { data: [{ code: 'invitationToken-invalid', param: 'invitationToken' }] }
  }
  const invite = { token: 'abcde', created: 1, createdBy: 'admin', description: '' }

  t.test('accepts those in the settings, repeatedly', async t => {
    const { register } = await start(t, { registration: { invitationTokens: ['first', 'other'] } })
    t.ok((await register({ invitationToken: 'first' })).apiEndpoint)
    t.ok((await register({ invitationtoken: 'first', username: 'roberta', email: 'x' })).apiEndpoint)
    t.match(await register({ username: 'robertus', email: 'y', invitationToken: 'third' }), invitation)
    t.match(await register({ username: 'robertus', email: 'y' }), invitation)
  })

  t.test('accepts an issued one once, also of several concurrent calls', async t => {
    const { services, register } = await start(t, { registration: { invitationTokens: ['first'] } })
    services.platform.changeNow('invite', [invite])
    const answers = await Promise.all(
      ['roberta', 'roberto'].map(username =>
        register({ username, email: username, invitationToken: 'abcde' })
      )
    )
    t.equal(answers.filter(({ apiEndpoint }) => apiEndpoint).length, 1)
    t.match(
      answers.find(({ error }) => error),
      invitation
    )
    t.match(await register({ invitationToken: 'abcde' }), invitation)
  })

  t.test('leaves an invitation unused when it refuses', async t => {
    const { services, register } = await start(t, { registration: { invitationTokens: ['first'] } })
    services.platform.changeNow('invite', [invite])
    t.match(await register({ username: 'alice', invitationToken: 'abcde' }), { status: 409 })
    t.ok(services.platform.invitations.isUnused('abcde'))
  })

  t.test('refuses everyone once registration is closed', async t => {
    const { services, register } = await start(t, { registration: { invitationTokens: [] } })
    services.platform.changeNow('invite', [invite])
    t.match(await register(), invitation)
    t.match(await register({ invitationToken: 'abcde' }), invitation)
  })

  t.test('throttles guesses', async t => {
    const { register } = await start(t, {
      registration: { invitationTokens: ['first'] },
      throttle: { failures: 3 }
    })
    for (let count = 0; count < 3; count++)
      t.match(await register({ invitationToken: `guess${count}` }), invitation)
    t.match(await register({ invitationToken: 'first' }), { status: 429 })
  })
})

t.test('auth.registerOlder', async t => {
  t.test('returns the server as well', async t => {
    const { register } = await start(t)
    t.match(await register({}, '127.0.0.1', 'auth.registerOlder'), {
      username: 'robert',
      server: `${origin}/`
    })
  })
})

t.test("with a domain, auth.register returns an endpoint on the user's host", async t => {
  const { register } = await start(t, { publicUrl: '', domain: 'example.org' })
  t.match((await register()).apiEndpoint, /^https:\/\/c[a-z0-9]{24}@robert\.example\.org\/$/)
})
