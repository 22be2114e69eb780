/** Signing in and out, trusted apps, and throttling of password guesses. */
import { hash as bcryptHash } from '@node-rs/bcrypt'
import t, { type Test } from 'tap'
import type { Passwords, VerificationHooks } from '../../../../core/security/passwords.js'
import { openCoffer, type Answer, type Overrides } from '../../../support/coffer.js'

const password = 'correct horse battery'
const origin = 'https://coffer.example.com'

/** The hash of the password, which takes long to compute. */
let hash: string | undefined

/** Starts a service in which Alice has a password, with a function that signs in. */
async function start(t: Test, overrides: Overrides = {}) {
  const service = await openCoffer(t, {
    publicUrl: origin,
    throttle: { failures: 3, perAddress: 8 },
    ...overrides
  })
  const { services } = service.server
  const store = services.accounts.openStore(services.accounts.find('alice')!)
  const known = (hash ??= await services.passwords.hash(password))
  await store.write(() => store.account.insertPassword({ hash: known, created: service.clock.now() }))
  const login = async (
    params: Record<string, unknown> = {},
    credentials: Record<string, string> = {},
    user = 'alice'
  ): Promise<Answer> =>
    await service.call(
      user,
      'auth.login',
      { username: 'alice', password, appId: 'test-app', ...params },
      undefined,
      {
        origin,
        ...credentials
      }
    )
  const isAlive = async (token: string): Promise<boolean> => {
    const { error } = await service.call('alice', 'callBatch', [], token)
    return error === undefined
  }
  const state = () => ({ accesses: store.accesses.list(), passwords: store.account.passwords(10) })
  return { service, clock: service.clock, alice: service.alice, services, store, login, isAlive, state }
}

t.test('auth.login', async t => {
  t.test('returns a token, the API endpoint with it, the language, and nothing else', async t => {
    const { alice, login, isAlive, store } = await start(t)
    await alice.do('account.update', { update: { language: 'fr-CH' } })
    const answer = await login()
    const { token } = answer
    t.match(token, /^c[a-z0-9]{24}$/)
    t.strictSame(answer, {
      token,
      apiEndpoint: `https://${token}@coffer.example.com/alice/`,
      preferredLanguage: 'fr',
      accessId: undefined
    })
    t.ok(await isAlive(token))
    t.match(store.accesses.findByToken(token), {
      type: 'personal',
      name: 'test-app',
      createdBy: 'system',
      modifiedBy: 'system'
    })
  })

  t.test('accepts the username in any letter case', async t => {
    const { login } = await start(t)
    t.ok((await login({ username: 'ALIce' })).token)
  })

  t.test('ignores unknown fields', async t => {
    const { login } = await start(t)
    t.ok((await login({ further: { field: 1 } })).token)
  })

  t.test("returns the token of the app's open session again, also for two concurrent sign-ins", async t => {
    const { clock, services, login } = await start(t)
    const [one, two] = await Promise.all([login(), login()])
    t.ok(one.token)
    t.equal(one.token, two.token)
    clock.advance(services.config.auth.sessionMaxAge - 1)
    t.equal((await login()).token, one.token)
    clock.advance(services.config.auth.sessionMaxAge - 1)
    t.equal((await login()).token, one.token, 'signing in prolongs the session')
    t.not((await login({ appId: 'other-app' })).token, one.token)
  })

  t.test('renews the token of the same access once the session has expired', async t => {
    const { clock, services, store, login, isAlive } = await start(t)
    const { token } = await login()
    const { id } = store.accesses.findByToken(token)!
    clock.advance(services.config.auth.sessionMaxAge + 1)
    t.notOk(await isAlive(token))
    const renewed = (await login()).token
    t.not(renewed, token)
    t.equal(store.accesses.findByToken(renewed)!.id, id)
    t.notOk(await isAlive(token))
    t.ok(await isAlive(renewed))
  })

  t.test('accepts imported bcrypt hashes', async t => {
    const { store, login } = await start(t)
    const hash = await bcryptHash('another one', 4)
    await store.write(() => store.account.insertPassword({ hash, created: 0 }))
    t.ok((await login({ password: 'another one' })).token)
    t.match(await login(), { error: { id: 'invalid-credentials' } })
  })

  const wrong = { id: 'invalid-credentials', message: 'The given username/password pair is invalid.' }
  t.test(
    'refuses a wrong password and an unknown user identically, after the same work, without changing anything',
    async t => {
      const { services, login, state } = await start(t)
      const before = state()
      const verified: string[] = []
      const { verify, verifyDummy } = services.passwords
      Object.assign(services.passwords, {
        verify: async (hash: string, given: string, guard: VerificationHooks) => {
          verified.push(hash.slice(0, 30))
          return await verify(hash, given, guard)
        },
        verifyDummy: async (given: string, guard: VerificationHooks) => {
          verified.push('nothing')
          return await verifyDummy(given, guard)
        }
      } satisfies Partial<Passwords>)
      const known = await login({ password: 'not it' })
      const unknown = await login({ username: 'nobody' }, {}, 'nobody')
      t.strictSame(known, { error: wrong, status: 401, accessId: undefined })
      t.strictSame(unknown, known)
      t.strictSame(verified, ['$argon2id$v=19$m=19456,t=2,p=1', 'nothing'])
      t.strictSame(state(), before)
    }
  )

  t.test('refuses an account without a password', async t => {
    const { login, service } = await start(t)
    await service.user('bobby')
    t.match(await login({ username: 'bobby' }, {}, 'bobby'), { error: wrong })
  })

  t.test('refuses a password that was changed while it was being verified', async t => {
    const { store, login } = await start(t)
    const [answer] = await Promise.all([
      login(),
      store.write(() => store.account.insertPassword({ hash: 'another', created: 1 }))
    ])
    t.match(answer, { error: wrong })
  })

  for (const user of ['alice', 'nobody'])
    t.test(`refuses the username of anyone but ${user}, whose endpoint is called`, async t => {
      const { login } = await start(t)
      t.match(await login({ username: 'someone' }, {}, user), {
        status: 400,
        error: { id: 'invalid-operation' }
      })
    })

  const malformed = [
    { username: undefined },
    { password: undefined },
    { appId: undefined },
    { username: 5 },
    { password: ['a'] },
    { password: '' },
    { password: 'x'.repeat(1001) },
    { appId: 'short' },
    { appId: { $ne: '' } }
  ]
  for (const user of ['alice', 'nobody'])
    t.test(`refuses malformed params for ${user}`, async t => {
      const { login } = await start(t)
      for (const params of malformed)
        t.match(
          await login({ username: user, ...params }, {}, user),
          { status: 400, error: { id: 'invalid-parameters-format' } },
          JSON.stringify(params).slice(0, 40)
        )
    })
})

t.test('guessing a password', async t => {
  t.test('is throttled after several failures, until the announced delay has passed', async t => {
    const { clock, login } = await start(t)
    for (let count = 0; count < 3; count++)
      t.match(await login({ password: 'not it' }), { error: { id: 'invalid-credentials' } })
    t.match(await login(), { status: 429, error: { id: 'too-many-requests' } })
    clock.advance(2)
    t.ok((await login()).token)
  })

  t.test('is throttled for unknown users as well', async t => {
    const { login } = await start(t)
    const guess = async (): Promise<Answer> => await login({ username: 'nobody' }, {}, 'nobody')
    for (let count = 0; count < 3; count++) await guess()
    t.match(await guess(), { status: 429 })
  })

  t.test('is not made faster by concurrent attempts', async t => {
    const { login } = await start(t)
    const answers = await Promise.all(Array.from({ length: 20 }, () => login({ password: 'not it' })))
    const tried = answers.filter(({ status }) => status === 401)
    t.ok(tried.length <= 4, `${tried.length} were tried`)
    t.equal(answers.filter(({ status }) => status === 429).length, 20 - tried.length)
  })

  t.test('is not made easier by batches', async t => {
    const { service, alice, login } = await start(t)
    const calls = Array.from({ length: 6 }, () => ({
      method: 'auth.login',
      params: { username: 'alice', password: 'not it', appId: 'test-app' }
    }))
    const { results } = await service.call('alice', 'callBatch', calls, alice.token, { origin })
    t.same(
      results.map((result: Answer) => result.error.id),
      [...Array(3).fill('invalid-credentials'), ...Array(3).fill('too-many-requests')]
    )
    t.match(await login(), { status: 429 })
  })

  t.test('blocks neither open sessions nor the owner at another address', async t => {
    const { alice, isAlive, login } = await start(t)
    for (let count = 0; count < 9; count++) await login({ password: 'not it' })
    t.ok(await isAlive(alice.token))
    t.ok((await login({}, { ip: '192.0.2.7' })).token)
  })

  t.test('is throttled by address, whatever the username', async t => {
    const { login } = await start(t)
    for (let count = 0; count < 8; count++) await login({ username: `user${count}` }, {}, `user${count}`)
    t.match(await login(), { status: 429 })
    t.ok((await login({}, { ip: '192.0.2.7' })).token)
  })
})

t.test('trusted apps', async t => {
  const trusted = [
    [
      'the default',
      '',
      {},
      [
        [origin],
        [`${origin}/`],
        [`${origin}/reg/`],
        ['', `${origin}/page?a=b`],
        [`${origin}:8443`],
        [`${origin}:8443/reg/`],
        ['', `${origin}:1/page`]
      ]
    ],
    [
      'the default on a port of its own',
      '',
      { publicUrl: `${origin}:4433` },
      [[`${origin}:4433`], [origin], [`${origin}/reg/`], [`${origin}:5000`]]
    ],
    [
      'the default of an address',
      '',
      { publicUrl: 'https://[2001:db8::1]:4433' },
      [['https://[2001:db8::1]:4433'], ['https://[2001:db8::1]'], ['https://[2001:db8::1]/x']]
    ],
    [
      'the default with a domain',
      '',
      { domain: 'example.org' },
      [['https://reg.example.org/'], ['https://a.example.org'], ['https://a.example.org:4433/']]
    ],
    [
      'the default on a loopback',
      '',
      { publicUrl: 'http://127.0.0.1:3000' },
      [
        ['http://localhost:3000'],
        ['http://127.0.0.1:3000/'],
        ['http://[::1]:3000'],
        ['http://127.0.0.1'],
        ['http://localhost'],
        ['http://localhost:8080']
      ]
    ],
    [
      'wildcards',
      '*@https://*.example.com*',
      {},
      [['https://app.example.com:4443/x'], ['https://app.example.com']]
    ],
    ['any origin', 'test-app@*', {}, [['https://anywhere.test'], ['', ''], ['null']]],
    ['one of several', 'other-app@https://a.b , test-app @ https://c.d', {}, [['https://c.d']]],
    ['a wildcard in the app id', 'test-*@https://c.d', {}, [['https://c.d']]],
    ['a page that only its Referer names', '*@https://c.d', {}, [['', 'https://c.d/app/x?y=z']]],
    [
      'what is left of malformed pairs',
      'nonsense,@https://c.d,test-app@,test-app@https://c.d',
      {},
      [['https://c.d']]
    ]
  ] as const
  for (const [name, trustedApps, overrides, origins] of trusted)
    t.test(`let ${name} sign in`, async t => {
      const { login } = await start(t, { auth: { trustedApps }, ...overrides })
      for (const [from, referer = ''] of origins)
        t.ok((await login({}, { origin: from, referer })).token, from || referer || 'no origin')
    })

  t.test('let the service’s own pages sign in, whatever the setting', async t => {
    const { login } = await start(t, { auth: { trustedApps: 'other-app@https://c.d' } })
    const from = async (appId: string, at: string): Promise<Answer> => await login({ appId }, { origin: at })
    t.ok((await from('coffer-sign-in', origin)).token)
    t.match(await from('coffer-sign-in', 'https://c.d'), { status: 403 })
    t.match(await from('test-app', origin), { status: 403 })
  })

  const untrusted = [
    [
      'the default',
      '',
      {},
      [
        ['https://evil.example.com'],
        [`${origin}.evil.com`],
        [`${origin}evil`],
        [`${origin}:evil.com`],
        [`${origin}:80.evil.com`],
        [`${origin}:80@evil.com`],
        [`${origin}@evil.com`],
        [`${origin}:80\\.evil.com`],
        ['http://coffer.example.com'],
        ['http://coffer.example.com:443'],
        ['', ''],
        ['', 'https://evil.com/https://coffer.example.com/']
      ]
    ],
    [
      'the default with a domain',
      '',
      { domain: 'example.org' },
      [
        ['http://reg.example.org'],
        ['https://evil.com/.example.org'],
        ['https://example.org.evil.com'],
        ['https://a.example.org:80.evil.com'],
        ['']
      ]
    ],
    [
      'the default of an address',
      '',
      { publicUrl: 'https://[2001:db8::1]:4433' },
      [['https://[2001:db8::1].evil.com'], ['https://[2001:db8::1]evil.com'], ['https://[2001:db8::2]:4433']]
    ],
    ['another port than that of the setting', '*@https://c.d', {}, [['https://c.d:8443']]],
    ['other apps', 'other-app@*', {}, [['https://anywhere.test'], ['']]],
    ['other origins', 'test-app@https://c.d', {}, [['https://c.d.e'], ['https://c.d/'], ['', '']]],
    [
      'an origin that differs, whatever the referer',
      'test-app@https://c.d',
      {},
      [['https://evil.com', 'https://c.d']]
    ],
    ['everybody when nothing is left of malformed pairs', 'nonsense', {}, [[origin]]],
    ['endless origins', '*@https://*', {}, [[`https://${'a'.repeat(3000)}`]]]
  ] as const
  for (const [name, trustedApps, overrides, origins] of untrusted)
    t.test(`refuse ${name}, for known and unknown users`, async t => {
      const { login } = await start(t, { auth: { trustedApps }, ...overrides })
      for (const [from, referer = ''] of origins)
        for (const user of ['alice', 'nobody'])
          t.match(
            await login({ username: user }, { origin: from, referer }, user),
            { status: 403, error: { id: 'forbidden' } },
            `${from.slice(0, 50)} ${referer}`
          )
    })
})

t.test('an untrusted app', async t => {
  const messageOf = async (overrides: Overrides, headers: Record<string, string>): Promise<string> => {
    const { login } = await start(t, overrides)
    return (await login({}, headers)).error.message as string
  }

  t.test('gets an error that names the origin to send and the setting to change', async t => {
    const said = await messageOf({}, { origin: '' })
    for (const part of ['"test-app"', `Origin: ${origin}`, 'auth.trustedApps', 'test-app@*'])
      t.match(said, part)
  })

  t.test('gets an error that names the refused origin, but not the rest of the URL', async t => {
    const said = await messageOf({}, { origin: '', referer: 'https://a.example.com:1/path?token=secret' })
    for (const part of ['auth.trustedApps', 'test-app@https://a.example.com:1', origin]) t.match(said, part)
    t.notMatch(said, 'secret')
  })

  t.test('cannot be sent to an origin that the setting does not trust', async t => {
    const said = await messageOf({ auth: { trustedApps: 'other-app@https://c.d' } }, { origin: '' })
    t.match(said, 'test-app@*')
    t.notMatch(said, origin)
  })
})

t.test('auth.logout', async t => {
  t.test('ends the session: its token is rejected, also by a second logout', async t => {
    const { service, alice, login, isAlive, store } = await start(t)
    const { token } = await login()
    t.strictSame(await service.call('alice', 'auth.logout', {}, token), {
      accessId: store.accesses.findByToken(token)!.id
    })
    t.notOk(await isAlive(token))
    t.match(await service.call('alice', 'auth.logout', {}, token), {
      status: 401,
      error: { id: 'invalid-access-token' }
    })
    t.ok(await isAlive(alice.token), 'other sessions go on')
  })

  t.test('refuses calls sent concurrently with the same token, including a second logout', async t => {
    const { service, login } = await start(t)
    const { token } = await login()
    const calls = ['auth.logout', 'auth.logout', 'streams.create'].map(
      async method =>
        await service.call('alice', method, method === 'streams.create' ? { name: 'x' } : {}, token)
    )
    const refusal = { status: 401, error: { id: 'invalid-access-token' } }
    t.match(await Promise.all(calls), [{ error: undefined }, refusal, refusal])
  })

  t.test('is followed by a sign-in with a new token', async t => {
    const { service, login, isAlive } = await start(t)
    const { token } = await login()
    await service.call('alice', 'auth.logout', {}, token)
    const again = (await login()).token
    t.not(again, token)
    t.ok(await isAlive(again))
    t.notOk(await isAlive(token))
  })

  t.test('requires a personal token', async t => {
    const { service, alice, store } = await start(t)
    await store.write(() =>
      store.accesses.insert({
        ...alice.access,
        id: 'cshared',
        token: 'shared',
        type: 'shared',
        permissions: []
      })
    )
    t.match(await service.call('alice', 'auth.logout', {}, 'shared'), {
      status: 403,
      error: { id: 'forbidden' }
    })
    t.match(await service.call('alice', 'auth.logout', {}), { status: 401 })
    t.match(await service.call('alice', 'auth.logout', {}, 'nonsense'), { status: 401 })
  })
})
