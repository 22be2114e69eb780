/** Changing a password, and password rules set by operators. */
import t, { type Test } from 'tap'
import { openCoffer, type Answer, type Overrides } from '../../../support/coffer.js'

const password = 'correct horse battery'
const appId = 'test-app'
const day = 86_400

/** Starts a service and registers Daisy, who is signed in. */
async function start(t: Test, overrides: Overrides = {}) {
  const service = await openCoffer(t, { throttle: { failures: 3, perAddress: 50 }, ...overrides })
  const origin = service.server.url
  const register = async (fields: object = {}): Promise<Answer> =>
    await service.call(undefined, 'auth.register', {
      appId,
      username: 'daisy',
      password,
      email: 'daisy@example.com',
      ...fields
    })
  const registered = await register()
  const token = /\/\/(.+)@/.exec(registered.apiEndpoint ?? '')?.[1] ?? ''
  const { services } = service.server
  const store = () => services.accounts.openStore(services.accounts.find('daisy')!)
  const login = async (given: string): Promise<Answer> =>
    await service.call('daisy', 'auth.login', { username: 'daisy', password: given, appId }, undefined, {
      origin
    })
  const change = async (oldPassword: unknown, newPassword: unknown, more = {}): Promise<Answer> =>
    await service.call('daisy', 'account.changePassword', { oldPassword, newPassword, ...more }, token)
  return { service, clock: service.clock, services, store, register, registered, token, login, change }
}

t.test('account.changePassword', async t => {
  t.test('sets the new password; sessions stay valid', async t => {
    const { service, login, change, token } = await start(t)
    const answer = await change(password, 'another secret')
    t.same(Object.keys(answer), ['accessId'])
    t.match(await login(password), { error: { id: 'invalid-credentials' } })
    t.ok((await login('another secret')).token)
    t.notOk((await service.call('daisy', 'getAccessInfo', {}, token)).error)
  })

  t.test('can be repeated, also with an earlier password', async t => {
    const { login, change } = await start(t)
    t.notOk((await change(password, 'another secret')).error)
    t.notOk((await change('another secret', password)).error)
    t.notOk((await change(password, password)).error)
    t.ok((await login(password)).token)
  })

  t.test('refuses a wrong old password without changes, and throttles attempts', async t => {
    const { clock, login, change, store } = await start(t)
    const before = store().account.passwords(10)
    for (let count = 0; count < 3; count++)
      t.match(await change('not it', 'another secret'), { status: 400, error: { id: 'invalid-operation' } })
    t.match(await change(password, 'another secret'), { status: 429, error: { id: 'too-many-requests' } })
    t.match(await login(password), { status: 429 }, 'it is the same guess as signing in')
    t.same(store().account.passwords(10), before)
    clock.advance(2)
    t.notOk((await change(password, 'another secret')).error)
  })

  t.test('lets one of two concurrent changes succeed', async t => {
    const { login, change } = await start(t)
    const answers = await Promise.all([change(password, 'secret of one'), change(password, 'secret of two')])
    t.same(answers.map(({ error }) => error?.id).toSorted(), ['invalid-operation', undefined])
    const winner = answers[0].error ? 'secret of two' : 'secret of one'
    t.ok((await login(winner)).token)
  })

  const malformed: readonly [unknown, unknown, object?][] = [
    [undefined, 'another secret'],
    [password, undefined],
    [password, 'short'],
    [password, 'x'.repeat(101)],
    [password, 12],
    ['x'.repeat(1001), 'another secret'],
    [password, 'another secret', { more: 1 }]
  ]
  t.test('refuses malformed params without changes', async t => {
    const { change, login } = await start(t)
    for (const [old, fresh, more] of malformed)
      t.match(
        await change(old, fresh, more),
        { status: 400, error: { id: 'invalid-parameters-format' } },
        JSON.stringify([old, fresh, more]).slice(0, 50)
      )
    t.ok((await login(password)).token)
  })
})

t.test('password rules', async t => {
  t.test(
    'require a minimum length at registrations and changes, both with 400 and the same message',
    async t => {
      const { change, register, registered } = await start(t, { auth: { passwordComplexityMinLength: 12 } })
      t.ok(registered.apiEndpoint)
      const refusal = { status: 400, error: { id: 'invalid-parameters-format', data: [/12 characters/] } }
      t.match(await change(password, 'elevenchars'), refusal)
      t.match(await register({ username: 'other', password: 'elevenchars', email: 'o@example.com' }), refusal)
      t.notOk((await change(password, 'twelve chars')).error)
    }
  )

  t.test('report the required values and the param, for pages', async t => {
    const { change, register } = await start(t, {
      auth: { passwordComplexityMinLength: 8, passwordComplexityMinCharCategories: 2 }
    })
    const other = { username: 'other', email: 'o@example.com' }
    const answers = [
      await register({ ...other, password: 'Short 1' }),
      await change(password, 'toosimple')
    ].map(({ error }) => error.subErrors[0].data)
    t.strictSame(answers, [
      { code: 'password-short', param: 'password', minimum: 8 },
      { code: 'password-simple', param: 'newPassword', minimum: 2 }
    ])
  })

  const secrets = [
    ['abcdefgh', 1],
    ['abcdEFGH', 2],
    ['abcdEF12', 3],
    ['abcd EF 12', 4],
    ['éàüß', 1],
    ['ÉÀé१', 3],
    ['日本語日本語', 1]
  ] as const
  for (const wanted of [1, 2, 3, 4])
    t.test(`count kinds of characters: ${wanted}`, async t => {
      const strict = await openCoffer(t, { auth: { passwordComplexityMinCharCategories: wanted } })
      for (const [at, [secret, kinds]] of secrets.entries()) {
        if (wanted !== kinds && wanted !== kinds + 1) continue
        const { error } = await strict.call(undefined, 'auth.register', {
          appId,
          username: `daisy${at}`,
          password: secret.padEnd(6, secret[0]),
          email: `daisy${at}@example.com`
        })
        t.equal(error?.id, wanted > kinds ? 'invalid-parameters-format' : undefined, secret)
      }
    })

  t.test('require a minimum age, and report from when the password can be changed', async t => {
    const { clock, change, login, service, token } = await start(t, { auth: { passwordAgeMinDays: 2 } })
    const passwordCanBeChanged = clock.now() + 2 * day
    t.match(await change(password, 'another secret'), {
      status: 400,
      error: { id: 'invalid-operation', data: { passwordCanBeChanged } }
    })
    const signedIn = await login(password)
    t.match(signedIn, { passwordCanBeChanged })
    t.notOk('passwordExpires' in signedIn)
    t.strictSame((await service.call('daisy', 'getAccessInfo', {}, token)).user, {
      username: 'daisy',
      passwordCanBeChanged
    })
    clock.advance(2 * day - 1)
    t.ok((await change(password, 'another secret')).error)
    clock.advance(1)
    t.notOk((await change(password, 'another secret')).error)
    t.match(await change('another secret', password), { error: { id: 'invalid-operation' } })
    clock.advance(-3 * day)
    t.notOk((await change('another secret', password)).error, 'set while the clock was ahead')
  })

  t.test('expire passwords: sign-in reports when, if the password is correct', async t => {
    const { clock, change, login, service, token } = await start(t, { auth: { passwordAgeMaxDays: 3 } })
    const expiredTime = clock.now() + 3 * day
    t.match(await login(password), { passwordExpires: expiredTime })
    const info = await service.call('daisy', 'getAccessInfo', {}, token)
    t.strictSame(info.user, { username: 'daisy', passwordExpires: expiredTime })
    clock.advance(3 * day)
    t.match(await login(password), {
      status: 401,
      error: { id: 'invalid-credentials', data: { expiredTime } }
    })
    const wrong = await login('not it')
    t.match(wrong, { status: 401, error: { id: 'invalid-credentials' } })
    t.notOk('data' in wrong.error)
    t.notOk((await change(password, 'another secret')).error, 'an open session may replace it')
    t.match(await login('another secret'), { passwordExpires: clock.now() + 3 * day })
  })

  t.test('report nothing to accesses that are not personal, or without rules', async t => {
    const { service, token, login } = await start(t, { auth: { passwordAgeMaxDays: 3 } })
    const permissions = [{ streamId: '*', level: 'read' }]
    const { access } = await service.call('daisy', 'accesses.create', { name: 'x', permissions }, token)
    const info = await service.call('daisy', 'getAccessInfo', {}, access.token)
    t.strictSame(info.user, { username: 'daisy' })
    t.ok((await login(password)).passwordExpires)
    const free = await start(t)
    t.same(
      Object.keys(await free.login(password)).filter(key => key.startsWith('password')),
      []
    )
  })

  t.test('refuse recent passwords, including the current one', async t => {
    const { change, login } = await start(t, { auth: { passwordPreventReuseHistoryLength: 2 } })
    const refusal = { status: 400, error: { id: 'invalid-operation' } }
    t.match(await change(password, password), refusal)
    t.notOk((await change(password, 'second secret')).error)
    t.match(await change('second secret', password), refusal)
    t.match(await change('second secret', 'second secret'), refusal)
    t.notOk((await change('second secret', 'third secret')).error)
    t.notOk((await change('third secret', password)).error, 'two later it may')
    t.ok((await login(password)).token)
  })

  t.test('know earlier passwords from before the rules were set, up to a limit', async t => {
    const { store, clock } = await start(t)
    const { account } = store()
    const now = clock.now()
    t.equal(account.passwords(100).length, 1, 'that of the registration')
    await store().write(() => {
      for (let number = 0; number < 40; number++)
        account.insertPassword({ hash: `hash ${number}`, created: now })
    })
    t.equal(account.passwords(100).length, 24)
    t.equal(account.password()?.hash, 'hash 39')
    t.equal(account.passwords(100).at(-1)?.hash, 'hash 16')
  })
})
