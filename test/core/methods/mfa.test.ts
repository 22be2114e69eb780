/** Two-factor authentication: activation, verification, recovery, and throttling of guesses. */
import { Secret, TOTP } from 'otpauth'
import t, { type Test } from 'tap'
import { ManualClock } from '../../../core/time.js'
import { startServer } from '../../../server/server.js'
import { type Answer, openCoffer, type Overrides, Service, testSettings } from '../../support/coffer.js'
import { receiver, type Receiver } from '../../support/receiver.js'
import { rotate } from '../../support/rotation.js'

t.setTimeout(900_000)

const password = 'correct horse battery'
const appId = 'test-app'

/** Returns the code that an authenticator app shows, offset by a number of time steps. */
function codeAt(secret: string, now: number, steps = 0): string {
  return TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: (now + 30 * steps) * 1000 })
}

/** Returns a code that is none of these. */
function wrong(...codes: readonly string[]): string {
  return Array.from({ length: 10 }, (_, digit) => String(digit).repeat(codes[0]!.length)).find(
    code => !codes.includes(code)
  )!
}

class Person {
  constructor(
    readonly service: Service,
    readonly token: string,
    readonly username = 'daisy'
  ) {}

  async mfa(action: string, params: object = {}, token?: string, more = {}): Promise<Answer> {
    return await this.service.call(this.username, `mfa.${action}`, params, token, more)
  }

  async login(more = {}): Promise<Answer> {
    const { url } = this.service.server
    return await this.service.call(
      this.username,
      'auth.login',
      { username: this.username, password, appId, ...more },
      undefined,
      { origin: url }
    )
  }

  async recover(recoveryCode: unknown, more: object = {}): Promise<Answer> {
    const { url } = this.service.server
    const params = { username: this.username, password, appId, recoveryCode, ...more }
    return await this.mfa('recover', params, undefined, { origin: url })
  }

  code(secret: string, steps = 0): string {
    return codeAt(secret, this.service.clock.now(), steps)
  }

  /** Activates an authenticator app; advances the clock, so that the next code is a new one. */
  async enrol(): Promise<{ secret: string; recoveryCodes: string[] }> {
    const { mfaToken, totp } = await this.mfa('activate', { method: 'totp' }, this.token)
    const { recoveryCodes } = await this.mfa('confirm', { code: this.code(totp.secret) }, mfaToken)
    this.service.clock.advance(60)
    return { secret: totp.secret, recoveryCodes }
  }
}

async function register(service: Service, username = 'daisy'): Promise<Person> {
  const { apiEndpoint } = await service.call(undefined, 'auth.register', {
    appId,
    username,
    password,
    email: `${username}@example.com`
  })
  return new Person(service, /\/\/(.+)@/.exec(apiEndpoint)![1]!, username)
}

async function start(t: Test, overrides: Overrides = {}): Promise<{ service: Service; daisy: Person }> {
  const service = await openCoffer(t, overrides)
  return { service, daisy: await register(service) }
}

const refusedToken = { status: 403, error: { id: 'forbidden' } }
const refusedCode = { status: 400, error: { id: 'invalid-code' } }
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

t.test('an authenticator app', async t => {
  t.test('is activated by a code, and then required to sign in', async t => {
    const { service, daisy } = await start(t)
    const activation = await daisy.mfa('activate', {}, daisy.token)
    t.match(activation, {
      mfaToken: uuid,
      totp: { secret: /^[A-Z2-7]{32}$/, qrCode: /^data:image\/svg\+xml;base64,/ }
    })
    const { secret, uri } = activation.totp
    t.match(
      uri,
      `otpauth://totp/Coffer:daisy?issuer=Coffer&secret=${secret}&algorithm=SHA1&digits=6&period=30`
    )
    t.ok((await daisy.login()).token, 'not in force yet')

    const { recoveryCodes } = await daisy.mfa('confirm', { code: daisy.code(secret) }, activation.mfaToken)
    t.equal(new Set(recoveryCodes).size, 10)
    for (const code of recoveryCodes) t.match(code, /^[a-hjkmnp-z2-9]{4}(?:-[a-hjkmnp-z2-9]{4}){3}$/)
    t.match(await daisy.mfa('confirm', { code: daisy.code(secret, 1) }, activation.mfaToken), refusedToken)

    service.clock.advance(30)
    const pending = await daisy.login({ appId: 'other-app' })
    t.same(Object.keys(pending), ['mfaToken', 'accessId'])
    t.match(pending.mfaToken, uuid)
    t.match(await daisy.mfa('challenge', {}, pending.mfaToken), { message: /app/ })
    const answer = await daisy.mfa('verify', { code: daisy.code(secret) }, pending.mfaToken)
    t.match(answer, {
      token: /^c[a-z0-9]{24}$/,
      apiEndpoint: new RegExp(`//${answer.token}@.+/daisy/$`),
      preferredLanguage: 'en'
    })
    t.match(await service.call('daisy', 'getAccessInfo', {}, answer.token), { name: 'other-app' })
    t.match(await daisy.mfa('verify', { code: daisy.code(secret, 1) }, pending.mfaToken), refusedToken)
  })

  t.test('opens no session before it is verified', async t => {
    const { service, daisy } = await start(t)
    await daisy.enrol()
    const store = service.server.services.accounts.openStore(service.server.services.accounts.find('daisy')!)
    const { mfaToken } = await daisy.login({ appId: 'other-app' })
    t.equal(store.accesses.findByName('personal', 'other-app'), undefined)
    t.match(await service.call('daisy', 'getAccessInfo', {}, mfaToken), { status: 401 })
  })

  t.test('accepts a code once, also of the previous or next time step, or with spaces', async t => {
    const { service, daisy } = await start(t)
    const { secret } = await daisy.enrol()
    const verify = async (code: string): Promise<Answer> =>
      await daisy.mfa('verify', { code }, (await daisy.login()).mfaToken)
    const now = daisy.code(secret)
    t.match(await verify(daisy.code(secret, -2)), refusedCode)
    t.match(await verify(daisy.code(secret, 2)), refusedCode)
    t.ok((await verify(`${now.slice(0, 3)} ${now.slice(3)}`)).token)
    t.match(await verify(now), refusedCode, 'used')
    t.match(await verify(daisy.code(secret, -1)), refusedCode, 'of a step before the used one')
    t.ok((await verify(daisy.code(secret, 1))).token)
    service.clock.advance(30)
    t.match(await verify(daisy.code(secret)), refusedCode, 'used ahead of its time')
    service.clock.advance(30)
    t.ok((await verify(daisy.code(secret))).token)
  })

  t.test('accepts only one of two concurrent uses of a code', async t => {
    const { daisy } = await start(t)
    const { secret } = await daisy.enrol()
    const tokens = [(await daisy.login()).mfaToken, (await daisy.login()).mfaToken]
    const code = daisy.code(secret)
    const answers = await Promise.all(tokens.map(token => daisy.mfa('verify', { code }, token)))
    t.same(answers.map(({ error }) => error?.id).toSorted(), ['invalid-code', undefined])
  })

  const invalid = [{}, { code: '' }, { code: null }, { code: ['1'] }, { code: '12345' }, { code: 'abcdef' }]
  for (const given of rotate(t, invalid, 3))
    t.test(`is not verified by ${JSON.stringify(given)}`, async t => {
      const { daisy } = await start(t)
      await daisy.enrol()
      t.match(await daisy.mfa('verify', given, (await daisy.login()).mfaToken), refusedCode)
    })

  t.test('is replaced only once the new one is verified', async t => {
    const { daisy, service } = await start(t)
    const first = await daisy.enrol()
    const { totp } = await daisy.mfa('activate', {}, daisy.token)
    t.not(totp.secret, first.secret)
    const { mfaToken } = await daisy.login()
    t.match(await daisy.mfa('verify', { code: daisy.code(totp.secret) }, mfaToken), refusedCode)
    t.ok((await daisy.mfa('verify', { code: daisy.code(first.secret) }, mfaToken)).token)
    const second = await daisy.enrol()
    t.match(await daisy.recover(first.recoveryCodes[0]), { error: { id: 'invalid-parameter' } })
    service.clock.advance(30)
    const again = await daisy.login()
    t.ok((await daisy.mfa('verify', { code: daisy.code(second.secret) }, again.mfaToken)).token)
  })

  t.test('is neither returned nor set by profile methods', async t => {
    const { daisy, service } = await start(t)
    const { secret } = await daisy.enrol()
    const { profile } = await service.call('daisy', 'profile.getPrivate', {}, daisy.token)
    t.strictSame(profile, {})
    const update = { mfa: null }
    t.match(await service.call('daisy', 'profile.updatePrivate', { update }, daisy.token), { status: 403 })
    t.ok((await daisy.login()).mfaToken)
    t.ok(secret)
  })

  t.test('is not revealed to callers who do not know the password', async t => {
    const { daisy } = await start(t)
    const before = await daisy.login({ password: 'not it' })
    await daisy.enrol()
    t.strictSame(await daisy.login({ password: 'not it' }), before)
  })
})

t.test('an MFA session', async t => {
  t.test('expires after half an hour', async t => {
    const { daisy, service } = await start(t)
    const { secret } = await daisy.enrol()
    const [first, second] = [await daisy.login(), await daisy.login()]
    service.clock.advance(1799)
    t.ok((await daisy.mfa('verify', { code: daisy.code(secret) }, first.mfaToken)).token)
    service.clock.advance(1)
    t.match(await daisy.mfa('verify', { code: daisy.code(secret) }, second.mfaToken), refusedToken)
    t.match(await daisy.mfa('challenge', {}, second.mfaToken), refusedToken)
  })

  t.test('is valid only for its purpose and its user', async t => {
    const { daisy, service } = await start(t)
    const { secret } = await daisy.enrol()
    const bobby = await register(service, 'bobby')
    const activation = await daisy.mfa('activate', {}, daisy.token)
    const { mfaToken } = await daisy.login()
    t.match(await daisy.mfa('verify', { code: daisy.code(secret) }, activation.mfaToken), refusedToken)
    t.match(await daisy.mfa('confirm', { code: daisy.code(secret) }, mfaToken), refusedToken)
    t.match(await bobby.mfa('verify', { code: daisy.code(secret) }, mfaToken), refusedToken)
    for (const action of ['confirm', 'challenge', 'verify']) {
      t.match(await daisy.mfa(action, {}, daisy.token), refusedToken, 'a personal token is none')
      t.match(await daisy.mfa(action, {}, 'nonsense'), refusedToken)
      t.match(await daisy.mfa(action, {}), { status: 401, error: { id: 'invalid-access-token' } })
    }
  })

  t.test('accepts its token in every form of credentials', async t => {
    const { daisy, service } = await start(t)
    await daisy.enrol()
    const { mfaToken } = await daisy.login()
    const basic = Buffer.from(`${mfaToken}:`).toString('base64')
    for (const authorization of [mfaToken, `Bearer ${mfaToken}`, `Basic ${basic}`])
      t.equal((await service.http('POST', '/daisy/mfa/challenge', {}, { authorization })).status, 200)
    t.equal((await service.http('POST', `/daisy/mfa/challenge?auth=${mfaToken}`)).status, 200)
  })

  t.test('ends when the password is changed or reset, or the factor is removed', async t => {
    const { daisy, service } = await start(t)
    const { secret } = await daisy.enrol()
    /** The reset has ended the first session. */
    const signedIn = async (): Promise<Answer> => {
      service.clock.advance(60)
      const { mfaToken } = await daisy.login()
      return await daisy.mfa('verify', { code: daisy.code(secret) }, mfaToken)
    }
    const ends: readonly (() => Promise<Answer>)[] = [
      async () =>
        await service.call(
          'daisy',
          'account.changePassword',
          { oldPassword: password, newPassword: password },
          daisy.token
        ),
      async () => {
        const { accounts } = service.server.services
        const store = accounts.openStore(accounts.find('daisy')!)
        const now = service.clock.now()
        await store.write(() => store.signIn.insert('reset', 'a-mailed-token', now, now + 60, {}))
        const params = { appId, resetToken: 'a-mailed-token', newPassword: password }
        const { url } = service.server
        return await service.call('daisy', 'account.resetPassword', params, undefined, { origin: url })
      },
      async () => await daisy.mfa('deactivate', {}, (await signedIn()).token)
    ]
    for (const end of ends) {
      const { mfaToken } = await daisy.login()
      t.notOk((await end()).error)
      t.match(await daisy.mfa('verify', { code: daisy.code(secret) }, mfaToken), refusedToken)
    }
  })

  t.test('for activation ends with the session that started it', async t => {
    const { daisy, service } = await start(t)
    const thief = async (): Promise<Answer> =>
      (await service.call(undefined, 'test.signIn', { username: 'daisy', appId: 'web-app' })).access
    const byOwner = (method: string, params: object) => service.call('daisy', method, params, daisy.token)
    const ends: readonly ((stolen: Answer) => Promise<Answer>)[] = [
      async () => await byOwner('sessions.deleteAll', {}),
      async ({ id }) => await byOwner('sessions.delete', { id }),
      async ({ id }) => await byOwner('accesses.delete', { id }),
      async ({ token }) => await service.call('daisy', 'auth.logout', {}, token)
    ]
    for (const end of ends) {
      const stolen = await thief()
      const { mfaToken, totp } = await daisy.mfa('activate', { password }, stolen.token)
      t.notOk((await end(stolen)).error)
      // The next session of the same app has the same access.
      await thief()
      const code = daisy.code(totp.secret)
      t.match(await daisy.mfa('confirm', { code }, mfaToken), refusedToken)
      t.match(await daisy.mfa('challenge', {}, mfaToken), refusedToken)
      t.ok((await daisy.login()).token, 'no factor is in force')
    }
  })

  t.test('survives twenty newer ones; beyond that, the oldest ends', async t => {
    const { daisy, service } = await start(t)
    await daisy.enrol()
    const first = await daisy.login()
    for (let count = 0; count < 20; count++) {
      service.clock.advance(1)
      t.match(await daisy.mfa('challenge', {}, first.mfaToken), { message: String })
      await daisy.login()
    }
    t.match(await daisy.mfa('challenge', {}, first.mfaToken), refusedToken)
  })

  t.test('its factor and its failures survive a restart', async t => {
    const { daisy, service } = await start(t)
    const { secret } = await daisy.enrol()
    const { mfaToken } = await daisy.login()
    const bad = wrong(daisy.code(secret, -1), daisy.code(secret), daisy.code(secret, 1))
    for (let count = 0; count < 5; count++)
      t.match(await daisy.mfa('verify', { code: bad }, mfaToken), refusedCode)
    await service.server.close()
    const clock = new ManualClock(service.clock.now())
    const server = await startServer(testSettings(service.directory), { clock })
    t.teardown(() => server.close())
    const again = new Person(new Service(server, clock, service.directory), daisy.token)
    t.match(await again.mfa('verify', { code: again.code(secret) }, mfaToken), { status: 429 })
    clock.advance(2)
    t.ok((await again.mfa('verify', { code: again.code(secret) }, mfaToken)).token)
  })
})

t.test('guessing codes', async t => {
  t.test('is throttled from any address, with growing delays', async t => {
    const { daisy, service } = await start(t)
    const { secret } = await daisy.enrol()
    const { mfaToken } = await daisy.login()
    const guess = async (code: string, ip: string): Promise<Answer> =>
      await daisy.mfa('verify', { code }, mfaToken, { ip })
    const bad = wrong(...[-1, 0, 1, 2].map(steps => daisy.code(secret, steps)))
    for (let count = 0; count < 5; count++) t.match(await guess(bad, `192.0.2.${count}`), refusedCode)
    t.match(await guess(daisy.code(secret), '192.0.2.9'), { status: 429, error: { id: 'too-many-requests' } })
    service.clock.advance(2)
    t.match(await guess(bad, '192.0.2.9'), refusedCode)
    service.clock.advance(3)
    t.match(await guess(daisy.code(secret), '192.0.2.10'), { status: 429 })
    service.clock.advance(1)
    t.ok((await guess(daisy.code(secret), '192.0.2.10')).token)
  })

  t.test('with other characters than six digits counts as a wrong code', async t => {
    const { daisy, service } = await start(t)
    const { secret } = await daisy.enrol()
    const { mfaToken } = await daisy.login()
    const right = daisy.code(secret)
    // Of the length of a code in characters, and of another one in bytes.
    const fullWidth = right.replaceAll(/\d/g, digit => String.fromCodePoint(0xff_10 + Number(digit)))
    for (const code of [fullWidth, 'éééééé', '😀😀😀', '-00001', `${right}0`])
      t.match(await daisy.mfa('verify', { code }, mfaToken), refusedCode, code)
    t.match(await daisy.mfa('verify', { code: right }, mfaToken), { status: 429 })
    service.clock.advance(2)
    t.ok((await daisy.mfa('verify', { code: right }, mfaToken)).token)
  })

  t.test('is not made faster by concurrent sign-ins or by batches', async t => {
    const { daisy, service } = await start(t)
    const { secret } = await daisy.enrol()
    const bad = wrong(daisy.code(secret, -1), daisy.code(secret), daisy.code(secret, 1))
    const tokens = await Promise.all(Array.from({ length: 12 }, async () => (await daisy.login()).mfaToken))
    const answers = await Promise.all(tokens.map(token => daisy.mfa('verify', { code: bad }, token)))
    t.equal(answers.filter(({ status }) => status === 400).length, 5)
    t.equal(answers.filter(({ status }) => status === 429).length, 7)
    const calls = [{ method: 'mfa.verify', params: { code: daisy.code(secret) } }]
    const { results } = await service.call('daisy', 'callBatch', calls, daisy.token)
    t.match(results, [{ error: { id: 'forbidden' } }])
    t.notOk((await service.call('daisy', 'getAccessInfo', {}, daisy.token)).error, 'open sessions go on')
  })
})

t.test('mfa.recover', async t => {
  t.test('removes the factor, with a single-use code', async t => {
    const { daisy } = await start(t)
    const { recoveryCodes } = await daisy.enrol()
    t.match(await daisy.recover(recoveryCodes[3]), { message: String })
    t.ok((await daisy.login()).token)
    for (const code of recoveryCodes)
      t.match(await daisy.recover(code), { status: 400, error: { id: 'invalid-parameter' } })
  })

  t.test('requires everything that signing in requires, and a code', async t => {
    const { daisy, service } = await start(t)
    const { recoveryCodes } = await daisy.enrol()
    const [code] = recoveryCodes
    t.match(await daisy.recover(undefined), { status: 400, error: { id: 'missing-parameter' } })
    t.match(await daisy.recover(null), { status: 400, error: { id: 'missing-parameter' } }, 'unset')
    t.match(await daisy.recover('nonsense'), { status: 400, error: { id: 'invalid-parameter' } })
    t.match(await daisy.recover(12), { status: 400, error: { id: 'invalid-parameters-format' } })
    t.match(await daisy.recover(code, { password: 'not it' }), {
      status: 401,
      error: { id: 'invalid-credentials' }
    })
    t.match(await daisy.recover(code, { appId: undefined }), { error: { id: 'invalid-parameters-format' } })
    t.match(await daisy.recover(code, { username: 'other' }), { error: { id: 'invalid-operation' } })
    const params = { username: 'daisy', password, appId, recoveryCode: code }
    t.match(await daisy.mfa('recover', params), { status: 403 }, 'no origin')
    const nobody = new Person(service, '', 'nobody')
    t.match(await nobody.recover(undefined), { error: { id: 'missing-parameter' } })
    t.match(await nobody.recover(code), { status: 401, error: { id: 'invalid-credentials' } })
    t.ok((await daisy.login()).mfaToken)
  })

  t.test('is throttled after many wrong codes', async t => {
    const { daisy, service } = await start(t, { throttle: { failures: 3 } })
    const { recoveryCodes } = await daisy.enrol()
    for (let count = 0; count < 3; count++)
      t.match(await daisy.recover('nonsense'), { error: { id: 'invalid-parameter' } })
    t.match(await daisy.recover(recoveryCodes[0]), { status: 429 })
    service.clock.advance(2)
    t.match(await daisy.recover(recoveryCodes[0]), { message: String })
  })
})

t.test('mfa.deactivate and mfa.activate', async t => {
  t.test('require a personal token', async t => {
    const { daisy, service } = await start(t)
    await daisy.enrol()
    const permissions = [{ streamId: '*', level: 'manage' }]
    const { access } = await service.call(
      'daisy',
      'accesses.create',
      { name: 'an-app', type: 'app', permissions },
      daisy.token
    )
    for (const action of ['activate', 'deactivate']) {
      t.match(await daisy.mfa(action, {}, access.token), { status: 403, error: { id: 'forbidden' } })
      t.match(await daisy.mfa(action, {}), { status: 401 })
    }
    t.ok((await daisy.login()).mfaToken)
    t.match(await daisy.mfa('deactivate', {}, daisy.token), { message: String })
    t.ok((await daisy.login()).token)
    t.match(await daisy.mfa('deactivate', {}, daisy.token), { message: String }, 'once more')
  })

  t.test('require proof ten minutes after sign-in, and do not store it', async t => {
    const { daisy, service } = await start(t)
    const { recoveryCodes } = await daisy.enrol()
    service.clock.advance(600)
    const unproven = { status: 400, error: { id: 'invalid-operation', data: { code: 'proof-missing' } } }
    const wrong = { status: 400, error: { id: 'invalid-operation', data: { code: 'password-wrong' } } }
    for (const action of ['activate', 'deactivate']) {
      t.match(await daisy.mfa(action, {}, daisy.token), unproven, action)
      t.match(await daisy.mfa(action, { password: null }, daisy.token), unproven, action)
      t.match(await daisy.mfa(action, { password: 'a guess' }, daisy.token), wrong, action)
      t.match(await daisy.mfa(action, { password: {} }, daisy.token), {
        error: { id: 'invalid-parameters-format' }
      })
    }
    t.ok((await daisy.login()).mfaToken, 'it is in force still')
    t.match(await daisy.mfa('activate', { method: 'totp', password }, daisy.token), { mfaToken: uuid })
    t.match(await daisy.mfa('deactivate', { password }, daisy.token), { message: String })
    t.ok((await daisy.login()).token)
    t.match(await daisy.recover(recoveryCodes[0]), { error: { id: 'invalid-parameter' } })
  })
})

t.test('over HTTP', async t => {
  t.test('pending sign-ins return 302 without a cookie, then 200 with one', async t => {
    const { daisy, service } = await start(t)
    const headers = { origin: service.server.url, authorization: daisy.token }
    const activated = await service.http('POST', '/daisy/mfa/activate', {}, headers)
    t.equal(activated.status, 302)
    t.equal(activated.headers.get('location'), null)
    t.equal(activated.headers.get('cache-control'), 'no-store')
    t.match(activated.body, { mfaToken: uuid, totp: {}, meta: { serverTime: Number } })
    const { mfaToken, totp } = activated.body
    const confirmed = await service.http(
      'POST',
      '/daisy/mfa/confirm',
      { code: daisy.code(totp.secret) },
      { authorization: mfaToken }
    )
    t.equal(confirmed.status, 200)
    service.clock.advance(30)
    const login = { username: 'daisy', password, appId }
    const pending = await service.http('POST', '/daisy/auth/login', login, { origin: service.server.url })
    t.equal(pending.status, 302)
    t.equal(pending.headers.get('location'), null)
    t.equal(pending.headers.get('set-cookie'), null)
    t.match(pending.body, { mfaToken: uuid, meta: {} })
    t.notOk('token' in pending.body)
    const verified = await service.http(
      'POST',
      '/daisy/mfa/verify',
      { code: daisy.code(totp.secret) },
      { authorization: pending.body.mfaToken }
    )
    t.equal(verified.status, 200)
    t.match(verified.headers.get('set-cookie'), /^sso=daisy;/)
    t.ok(verified.body.token)
  })

  t.test('service information lists the methods', async t => {
    const { service } = await start(t)
    t.match((await service.http('GET', '/reg/service/info')).body.features, { mfa: { methods: ['totp'] } })
    t.equal((await service.http('POST', '/nobody/mfa/verify', { code: '1' })).status, 404)
  })
})

/** Starts a messaging service on loopback, and a service that uses it. */
async function messaging(
  t: Test,
  mode: 'single' | 'challenge-verify',
  more: object = {}
): Promise<{ phone: Receiver; service: Service; daisy: Person }> {
  const phone = await receiver(t)
  const json = { 'content-type': 'application/json', 'x-user': '{{ phone }}' }
  const endpoint = (path: string, body: string) =>
    ({ url: `${phone.url}/${path}?to={{ phone }}`, method: 'POST', body, headers: json }) as const
  const endpoints = {
    challenge: endpoint('challenge', '{"to": "{{ phone }}"}'),
    verify: endpoint('verify', '{"to": "{{ phone }}", "code": "{{ code }}"}'),
    single: endpoint('send', '{"to": "{{ phone }}", "code": "{{ code }}", "text": "{{ text }}"}')
  }
  const mfa = { mode, allowInternalTargets: true, sms: { endpoints }, ...more }
  const started = await start(t, { services: { mfa } })
  return { phone, ...started }
}

t.test('a messaging service that generates codes', async t => {
  t.test('sends and verifies them', async t => {
    const { daisy, phone, service } = await messaging(t, 'challenge-verify')
    t.match((await service.http('GET', '/reg/service/info')).body.features, {
      mfa: { methods: ['sms', 'totp'] }
    })
    const activation = await daisy.mfa('activate', { phone: '+41 79' }, daisy.token)
    t.same(Object.keys(activation), ['mfaToken', 'accessId'])
    t.match(phone.deliveries, [
      { path: 'POST /challenge?to=%2B41%2079', body: { to: '+41 79' }, headers: { 'x-user': '+41 79' } }
    ])
    const { recoveryCodes } = await daisy.mfa(
      'confirm',
      { code: '1234', phone: 'of another' },
      activation.mfaToken
    )
    t.equal(recoveryCodes.length, 10)
    t.match(phone.deliveries[1], { path: /^POST \/verify/, body: { to: '+41 79', code: '1234' } })

    const { mfaToken } = await daisy.login()
    t.equal(phone.deliveries.length, 2, 'nothing is sent before it is asked for')
    t.match(await daisy.mfa('challenge', {}, mfaToken), { message: String })
    t.ok((await daisy.mfa('verify', { code: '99' }, mfaToken)).token)
    t.match(phone.deliveries.slice(2), [{ path: /challenge/ }, { path: /verify/, body: { code: '99' } }])
  })

  t.test('rejects wrong ones: 400 without its message, throttled eventually', async t => {
    const { daisy, phone, service } = await messaging(t, 'challenge-verify', { maxFailures: 3 })
    const { mfaToken } = await daisy.mfa('activate', { phone: '1' }, daisy.token)
    phone.answer = response => response.writeHead(403, { 'x-why': 'secret' }).end('details')
    const refusal = { status: 400, error: { id: 'messaging-server-error' } }
    for (let count = 0; count < 3; count++) {
      const answer = await daisy.mfa('confirm', { code: '1' }, mfaToken)
      t.match(answer, refusal)
      t.notMatch(JSON.stringify(answer), /details|secret/)
    }
    t.match(await daisy.mfa('confirm', { code: '1' }, mfaToken), { status: 429 })
    t.equal(phone.deliveries.length, 4, 'the messaging service is not asked then')
    t.match(await daisy.mfa('activate', { phone: '1' }, daisy.token), refusal)
    phone.answer = 200
    service.clock.advance(2)
    t.ok((await daisy.mfa('confirm', { code: '1' }, mfaToken)).recoveryCodes)
  })

  t.test('gets user input only as values', async t => {
    const { daisy, phone } = await messaging(t, 'challenge-verify')
    const nasty = '"}, "admin": "{{ code }}\r\nX-Injected: 1'
    await daisy.mfa('activate', { phone: nasty, __proto__: { phone: 'x' } }, daisy.token)
    t.strictSame(phone.deliveries[0]?.body, { to: nasty })
    t.equal(phone.deliveries[0]?.headers['x-injected'], undefined)
  })

  t.test('sends a limited number of messages, then the user has to wait', async t => {
    const { daisy, phone } = await messaging(t, 'challenge-verify', { maxMessages: 3 })
    const activation = await daisy.mfa('activate', { phone: '1' }, daisy.token)
    await daisy.mfa('challenge', {}, activation.mfaToken)
    await daisy.mfa('challenge', {}, activation.mfaToken)
    t.match(await daisy.mfa('challenge', {}, activation.mfaToken), { status: 429 })
    t.match(await daisy.mfa('activate', { phone: '2' }, daisy.token), { status: 429 })
    t.equal(phone.deliveries.length, 3)
  })

  t.test('remains optional: users may choose an authenticator app', async t => {
    const { daisy, phone, service } = await messaging(t, 'challenge-verify')
    const { secret } = await daisy.enrol()
    const { mfaToken } = await daisy.login()
    t.ok((await daisy.mfa('verify', { code: daisy.code(secret) }, mfaToken)).token)
    t.equal(phone.deliveries.length, 0)
    t.ok(service)
  })

  t.test('at an internal address is called only if the operator allows it', async t => {
    const { daisy, phone } = await messaging(t, 'challenge-verify', { allowInternalTargets: false })
    t.match(await daisy.mfa('activate', { phone: '1' }, daisy.token), {
      error: { id: 'messaging-server-error' }
    })
    t.equal(phone.deliveries.length, 0)
  })

  t.test('gets params of limited length only', async t => {
    const { daisy } = await messaging(t, 'challenge-verify')
    t.match(await daisy.mfa('activate', { phone: 'x'.repeat(5000) }, daisy.token), {
      error: { id: 'invalid-parameters-format' }
    })
  })

  t.test('is required: without it, authenticator apps are used', async t => {
    const { daisy } = await start(t, { services: { mfa: { mode: 'challenge-verify' } } })
    t.ok((await daisy.mfa('activate', { phone: '1' }, daisy.token)).totp)
  })
})

t.test("a messaging service that sends the service's codes", async t => {
  t.test('sends six digits, also within a text from the user', async t => {
    const { daisy, phone } = await messaging(t, 'single')
    const activation = await daisy.mfa('activate', { phone: '1', text: 'Use {{ code }}!' }, daisy.token)
    const { code, text } = phone.deliveries[0]!.body
    t.match(code, /^\d{6}$/)
    t.equal(text, `Use ${code}!`)
    t.match(await daisy.mfa('confirm', { code: wrong(code) }, activation.mfaToken), refusedCode)
    t.ok((await daisy.mfa('confirm', { code }, activation.mfaToken)).recoveryCodes)
    const { mfaToken } = await daisy.login()
    t.match(await daisy.mfa('verify', { code }, mfaToken), refusedCode, 'used')
    await daisy.mfa('challenge', {}, mfaToken)
    t.ok((await daisy.mfa('verify', { code: phone.deliveries[1]!.body.code }, mfaToken)).token)
  })

  t.test('invalidates the previous code, and each code after half an hour', async t => {
    const { daisy, phone, service } = await messaging(t, 'single')
    const { mfaToken } = await daisy.mfa('activate', { phone: '1' }, daisy.token)
    do await daisy.mfa('challenge', {}, mfaToken)
    while (phone.deliveries.at(-1)!.body.code === phone.deliveries[0]!.body.code)
    t.match(await daisy.mfa('confirm', { code: phone.deliveries[0]!.body.code }, mfaToken), refusedCode)
    service.clock.advance(1700)
    const later = await daisy.mfa('activate', { phone: '1', method: 'totp', password }, daisy.token)
    service.clock.advance(100)
    t.match(await daisy.mfa('confirm', { code: phone.deliveries.at(-1)!.body.code }, mfaToken), refusedToken)
    t.ok(later.totp)
  })

  t.test('invalidates a code after five wrong guesses', async t => {
    const { daisy, phone, service } = await messaging(t, 'single')
    const { mfaToken } = await daisy.mfa('activate', { phone: '1' }, daisy.token)
    const { code } = phone.deliveries[0]!.body
    for (let count = 0; count < 5; count++)
      t.match(await daisy.mfa('confirm', { code: wrong(code) }, mfaToken), refusedCode)
    service.clock.advance(2)
    t.match(await daisy.mfa('confirm', { code }, mfaToken), refusedCode)
  })

  t.test('can be called with GET', async t => {
    const phone = await receiver(t)
    const single = { url: `${phone.url}/send/{{ phone }}/{{ code }}`, method: 'GET' } as const
    const mfa = { mode: 'single', allowInternalTargets: true, sms: { endpoints: { single } } } as const
    const { daisy } = await start(t, { services: { mfa } })
    t.ok((await daisy.mfa('activate', { phone: 'a/b' }, daisy.token)).mfaToken)
    t.match(phone.deliveries[0]?.path, /^GET \/send\/a%2Fb\/\d{6}$/)
  })
})
