/** Page sessions: a cookie for the service's own pages only. (docs/spec/authentication.md#sessions-of-pages) */
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import t, { type Test } from 'tap'
import { Secret, TOTP } from 'otpauth'
import { io } from 'socket.io-client'
import { openPageSession } from '../../../core/auth/personal-access.js'
import { Authenticator } from '../../support/authenticator.js'
import { type Answer, coffer, type Overrides, type Service } from '../../support/coffer.js'
import { originOf, requestOf } from '../../support/passkeys.js'

const user = { username: 'daisy', password: 'a long secret', email: 'd@example.com', appId: 'coffer-app' }

const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/130.0 Safari/537.36'

type Sent = Readonly<Record<string, string>>

/** Starts a service with the user `daisy`, and returns the headers that a page sends. */
async function withPage(t: Test, overrides: Overrides = {}) {
  const service = await coffer(t, overrides)
  const { server } = service
  await service.http('POST', '/users', user)
  const own: Sent = { origin: server.url, 'coffer-app': '1', 'sec-fetch-site': 'same-origin' }
  return { service, own }
}

async function signIn({ server }: Service, headers: Sent): Promise<{ body: Answer; cookies: string[] }> {
  const answer = await fetch(`${server.url}/daisy/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ ...user, username: 'daisy' })
  })
  return { body: await answer.json(), cookies: answer.headers.getSetCookie() }
}

/** Returns the status of a GET with a custom `Host` header. */
async function statusOf({ server }: Service, path: string, headers: Sent): Promise<number> {
  const [answer] = (await once(request(server.url + path, { headers }).end(), 'response')) as [
    IncomingMessage
  ]
  answer.resume()
  return answer.statusCode ?? 0
}

/** Returns the session cookie as `name=value`. */
function sessionIn(cookies: readonly string[]): string {
  return cookies.find(text => /^(__Host-)?coffer-session=/.test(text))?.split(';')[0] ?? ''
}

t.test('a page session', async t => {
  t.test('is started only by pages, which do not receive the token', async t => {
    const { own, service } = await withPage(t)
    const { body, cookies } = await signIn(service, own)
    t.equal(body.token, undefined)
    t.equal(body.apiEndpoint, undefined)
    t.equal(body.preferredLanguage, 'en')
    t.equal(cookies.length, 2, 'beside the cookie of older pages')
    t.match(cookies[1], /^coffer-session=daisy\.c\w+; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Strict$/)
    const plain = await signIn(service, { origin: service.server.url })
    t.ok(plain.body.token)
    t.equal(plain.cookies.length, 1)
    const foreign = await signIn(service, { ...own, origin: 'https://pages.example.com' })
    t.equal(sessionIn(foreign.cookies), '')
  })

  t.test('is bound to the host when TLS is used', async t => {
    const publicUrl = 'https://coffer.example.com'
    const { own, service } = await withPage(t, { publicUrl })
    const { body, cookies } = await signIn(service, { ...own, origin: publicUrl })
    t.equal(body.token, undefined)
    t.match(cookies[1], /^__Host-coffer-session=daisy\.c\w+;.* SameSite=Strict; Secure$/)
  })

  t.test('makes calls, and continues after a reload', async t => {
    const { own, service } = await withPage(t)
    const { cookies } = await signIn(service, own)
    const cookie = sessionIn(cookies)
    const { origin: _sameOrigin, ...get } = own
    const info = await service.http('GET', '/daisy/access-info', undefined, { ...get, cookie })
    t.match(info.body, { type: 'personal', name: 'coffer-app' })
    const made = { id: 'diary', name: 'Diary' }
    const stream = await service.http('POST', '/daisy/streams', made, {
      ...own,
      cookie: `a=b; ${cookie}; c=d`
    })
    t.equal(stream.status, 201)
    const batch = [{ method: 'streams.get', params: {} }]
    const results = await service.http('POST', '/daisy', batch, { ...own, cookie })
    t.ok(results.body.results[0].streams.some(({ id }: Answer) => id === 'diary'))
    const again = await service.http('GET', '/app/session', undefined, { ...get, cookie })
    t.same(again.body.session, { username: 'daisy' })
    const nobody = await service.http('GET', '/app/session', undefined, get)
    t.equal(nobody.body.session, null)
    t.equal(nobody.status, 200)
  })

  t.test('can read the tokens of shares, but not of sessions', async t => {
    const { own, service } = await withPage(t)
    const cookie = sessionIn((await signIn(service, own)).cookies)
    const token = cookie.split('.')[1]!
    const { origin: _sameOrigin, ...get } = own
    const batch = ['getAccessInfo', 'accesses.get'].map(method => ({ method, params: {} }))
    const asked = async (headers: Sent): Promise<Record<string, string>> => {
      const answers = {
        info: await service.http('GET', '/daisy/access-info', undefined, headers),
        list: await service.http('GET', '/daisy/accesses', undefined, headers),
        batch: await service.http('POST', '/daisy', batch, { ...headers, origin: service.server.url })
      }
      return Object.fromEntries(
        Object.entries(answers).map(([name, { body }]) => [name, JSON.stringify(body)] as const)
      )
    }
    const shared = await service.http(
      'POST',
      '/daisy/accesses',
      { name: 'a share', permissions: [{ streamId: '*', level: 'read' }] },
      { ...own, cookie }
    )
    t.ok(shared.body.access.token)
    t.ok(shared.body.access.apiEndpoint)
    const page = await asked({ ...get, cookie })
    for (const [name, text] of Object.entries(page)) {
      t.notOk(text.includes(token), name)
      t.match(text, '"type":"personal"')
      if (name !== 'info') t.ok(text.includes(`"token":"${shared.body.access.token}"`), name)
    }
    for (const [name, text] of Object.entries(await asked({ authorization: token })))
      t.ok(text.includes(`"token":"${token}"`), `${name}, for whoever has the token`)
    const login = { ...user, appId: 'some-app' }
    const other = await service.http('POST', '/daisy/auth/login', login, { origin: service.server.url })
    for (const [name, text] of Object.entries(await asked({ authorization: other.body.token }))) {
      t.ok(text.includes(other.body.token), name)
      t.notOk(text.includes(token), `${name}, for the token of another session`)
    }

    const infoOf = async (options: object): Promise<string> => {
      const socket = io(`${service.server.url}/daisy`, { ...options, reconnection: false, forceNew: true })
      t.teardown(() => socket.close())
      return await new Promise((resolve, reject) => {
        socket.on('connect_error', reject)
        socket.emit('getAccessInfo', {}, (error: unknown, info: unknown) =>
          resolve(JSON.stringify(error ?? info))
        )
      })
    }
    const bySocket = await infoOf({ extraHeaders: { ...own, cookie } })
    t.match(bySocket, '"type":"personal"')
    t.notOk(bySocket.includes(token))
    t.ok((await infoOf({ auth: { auth: token } })).includes(`"token":"${token}"`))
  })

  t.test('is separate for each sign-in, with its own sign-out and proof of identity', async t => {
    const { own, service } = await withPage(t)
    const on = async (agent: string, more: Sent = {}): Promise<Sent> => {
      const headers = { ...own, 'user-agent': agent, ...more }
      return { ...own, cookie: sessionIn((await signIn(service, headers)).cookies) }
    }
    const call = async (headers: Sent, verb: string, path: string, body?: object): Promise<Answer> =>
      await service.http(verb, `/daisy/${path}`, body, headers)
    const list = async (headers: Sent): Promise<Answer[]> =>
      (await call(headers, 'GET', 'sessions')).body.sessions
    const [phone, desk] = [await on('Mozilla/5.0 (Android 14) Firefox/130.0'), await on(windows)]
    const third = await on(windows)
    t.equal(new Set([phone, desk, third].map(({ cookie }) => cookie)).size, 3)
    const mine = (await list(desk)).filter(({ deviceName }) => deviceName !== undefined)
    t.same(mine.map(({ deviceName }) => deviceName).toSorted(), [
      'Chrome, Windows',
      'Chrome, Windows (2)',
      'Firefox, Android'
    ])
    t.same(mine.map(({ isCurrent }) => isCurrent).filter(Boolean), [true])
    t.same(new Set(mine.map(({ signedIn }) => signedIn.address)), new Set(['127.0.0.1']))

    await call(phone, 'POST', 'auth/logout', {})
    t.equal((await call(phone, 'GET', 'access-info')).status, 401)
    t.equal((await call(desk, 'GET', 'access-info')).status, 200, 'signing out ends no other session')

    service.clock.advance(601)
    const fresh = await on(windows)
    const begin = async (headers: Sent): Promise<Answer> =>
      await call(headers, 'POST', 'identities/begin', {})
    t.equal((await begin(fresh)).status, 200)
    t.match(await begin(desk), { status: 400, body: { error: { data: { code: 'proof-missing' } } } })

    // Signing in again in the same browser: its session continues with another token, and is listed only once.
    const before = (await list(fresh)).length
    const renewed = await on(windows, fresh)
    t.not(renewed['cookie'], fresh['cookie'])
    t.equal((await call(fresh, 'GET', 'access-info')).status, 401)
    t.equal((await list(renewed)).length, before)

    await call(renewed, 'DELETE', 'sessions')
    for (const [name, headers] of Object.entries({ desk, third }))
      t.equal((await call(headers, 'GET', 'access-info')).status, 401, name)
    t.equal((await list(renewed)).length, 1)
  })

  t.test('is replaced by the next sign-in in its browser with two-factor authentication', async t => {
    const { own, service } = await withPage(t)
    const first = sessionIn((await signIn(service, own)).cookies)
    const call = async (cookie: string, path: string, body?: object, more: Sent = {}): Promise<Answer> =>
      await service.http(body ? 'POST' : 'GET', `/daisy/${path}`, body, { ...own, cookie, ...more })
    const activated = (await call(first, 'mfa/activate', {})).body
    const secret = Secret.fromBase32(activated.totp.secret)
    const code = (): string => new TOTP({ secret }).generate({ timestamp: service.clock.now() * 1000 })
    const confirmed = await call(
      first,
      'mfa/confirm',
      { code: code() },
      { authorization: activated.mfaToken }
    )
    t.equal(confirmed.status, 200)

    service.clock.advance(60)
    const { body } = await signIn(service, { ...own, cookie: first })
    const verified = await fetch(`${service.server.url}/daisy/mfa/verify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...own, cookie: first, authorization: body.mfaToken },
      body: JSON.stringify({ code: code() })
    })
    const next = sessionIn(verified.headers.getSetCookie())
    t.equal((await call(next, 'access-info')).status, 200)
    t.equal((await call(first, 'access-info')).status, 401, 'the former session has ended')
  })

  t.test('is replaced by the next sign-in in its browser with a passkey', async t => {
    const { own, service } = await withPage(t)
    const first = sessionIn((await signIn(service, own)).cookies)
    const call = async (cookie: string, path: string, body?: object): Promise<Answer> =>
      await service.http(body ? 'POST' : 'GET', `/daisy/${path}`, body, { ...own, cookie })
    const asked = await call(first, 'passkeys/challenge', { purpose: 'add', password: user.password })
    const authenticator = new Authenticator(originOf(service))
    await call(first, 'passkeys', { credential: authenticator.create(asked.body.creation) })

    const credential = authenticator.get(await requestOf(service))
    const answer = await service.http(
      'POST',
      '/auth/passkey-login',
      { appId: user.appId, credential },
      { ...own, cookie: first }
    )
    t.equal(answer.status, 200)
    t.equal((await call(first, 'access-info')).status, 401, 'the former session has ended')
    t.equal((await call(sessionIn(answer.headers.getSetCookie()), 'access-info')).status, 200)
  })

  t.test('starts by registering on a page', async t => {
    const { own, service } = await withPage(t)
    const answer = await service.http(
      'POST',
      '/reg/users',
      { ...user, username: 'clara', email: 'c@d.ch' },
      own
    )
    t.match(answer, { status: 201, body: { username: 'clara', apiEndpoint: undefined } })
    const cookie = sessionIn(answer.headers.getSetCookie())
    const { body } = await service.http('GET', '/clara/sessions', undefined, { ...own, cookie })
    t.match(body.sessions, [{ isCurrent: true, appId: 'coffer-app' }])
    t.equal(body.sessions.length, 1)
  })

  t.test('is limited in number, and expired ones are reused', async t => {
    const { own, service } = await withPage(t)
    const { accounts } = service.server.services
    const store = accounts.openStore(accounts.find('daisy')!)
    const count = (): number => store.accesses.listPersonal().length
    const { config, clock } = service.server.services
    const open = async (): Promise<string> => {
      const opened = await store.write(() =>
        openPageSession(config, store, { appId: 'coffer-app', browser: 'Chrome', now: clock.now() })
      )
      return opened.access.id
    }
    const first = await open()
    for (let i = 0; i < 60; i++) {
      service.clock.advance(1)
      await open()
    }
    t.equal(count(), 50)
    t.ok(store.accesses.find(first))
    service.clock.advance(config.auth.sessionMaxAge + 100)
    await signIn(service, own)
    t.equal(count(), 50)
  })

  t.test('is shared by all sign-ins of another app, as clients expect', async t => {
    const { service } = await withPage(t)
    const login = async (): Promise<string> =>
      (
        await service.http(
          'POST',
          '/daisy/auth/login',
          { ...user, appId: 'some-app' },
          {
            origin: service.server.url
          }
        )
      ).body.token
    t.equal(await login(), await login())
  })

  t.test('of another app is no proof for those who had its token before the last sign-in', async t => {
    const { service } = await withPage(t, { http: { trustedProxies: ['127.0.0.1'] } })
    const post = async (from: string, path: string, body: object, more: Sent = {}): Promise<Answer> =>
      await service.http('POST', `/daisy/${path}`, body, { 'x-forwarded-for': from, ...more })
    const login = async (): Promise<string> => {
      const params = { ...user, appId: 'some-app' }
      return (await post('192.0.2.1', 'auth/login', params, { origin: service.server.url })).body.token
    }
    const token = await login()
    const begin = async (from: string): Promise<Answer> =>
      await post(from, 'identities/begin', {}, { authorization: token })
    t.equal((await begin('203.0.113.7')).status, 200, 'the sign-in has made the token')

    service.clock.advance(300)
    t.equal(await login(), token)
    t.equal((await begin('203.0.113.7')).status, 200, 'and not long ago')

    service.clock.advance(301)
    t.equal(await login(), token)
    const missing = { status: 400, body: { error: { data: { code: 'proof-missing' } } } }
    t.equal((await begin('192.0.2.1')).status, 200)
    t.match(await begin('203.0.113.7'), missing)

    service.clock.advance(-86_400)
    t.equal(await login(), token)
    t.equal((await begin('192.0.2.1')).status, 200)
    t.match(await begin('203.0.113.7'), missing, 'the token was issued while the clock was ahead')
  })

  t.test('opens sockets', async t => {
    const { own, service } = await withPage(t)
    const cookie = sessionIn((await signIn(service, own)).cookies)
    const opened = async (extraHeaders: Sent): Promise<string> => {
      const socket = io(`${service.server.url}/daisy`, { extraHeaders, reconnection: false, forceNew: true })
      t.teardown(() => socket.close())
      return await new Promise(resolve => {
        socket.on('connect', () => resolve('open'))
        socket.on('connect_error', error => resolve(error.message))
      })
    }
    t.equal(await opened({ ...own, cookie }), 'open')
    const { 'coffer-app': _header, ...bare } = own
    t.not(await opened({ ...bare, cookie }), 'open')
    t.not(await opened({ ...own, cookie, origin: 'https://pages.example.com' }), 'open')
  })

  t.test('is not usable by other pages or for other accounts', async t => {
    const { own, service } = await withPage(t)
    const cookie = sessionIn((await signIn(service, own)).cookies)
    const { 'coffer-app': _header, ...bare } = own
    const others: Record<string, Sent> = {
      'without the header': bare,
      'with another value': { ...own, 'coffer-app': 'true' },
      'of another origin': { ...own, origin: 'https://pages.example.com' },
      'of another port': { ...own, origin: 'http://127.0.0.1:1' },
      'of no origin': { ...own, origin: 'null' },
      'of the same site': { ...own, 'sec-fetch-site': 'same-site' },
      'typed by hand': { ...own, 'sec-fetch-site': 'none' }
    }
    for (const [name, headers] of Object.entries(others)) {
      const { status } = await service.http('GET', '/daisy/access-info', undefined, { ...headers, cookie })
      t.equal(status, 401, name)
      const { body } = await service.http('GET', '/app/session', undefined, { ...headers, cookie })
      t.equal(body.error.id, 'forbidden', name)
    }
    t.equal((await service.http('GET', '/alice/access-info', undefined, { ...own, cookie })).status, 401)
    for (const odd of [
      'coffer-session=',
      'coffer-session=daisy',
      'coffer-session=daisy.',
      `coffer-session=daisy.${'x'.repeat(300)}`,
      `${cookie}x`,
      cookie.replace('daisy', 'Daisy'),
      cookie.replace('daisy.', 'daisy.%00')
    ])
      t.equal(
        (await service.http('GET', '/daisy/access-info', undefined, { ...own, cookie: odd })).status,
        401,
        odd
      )
  })

  t.test('is ignored if a token is sent', async t => {
    const { own, service } = await withPage(t)
    const cookie = sessionIn((await signIn(service, own)).cookies)
    const headers = { ...own, cookie, authorization: service.alice.token }
    t.equal((await service.http('GET', '/alice/access-info', undefined, headers)).status, 200)
    t.equal((await service.http('GET', '/daisy/access-info', undefined, headers)).status, 401)
  })

  t.test('ends by signing out, which clears the cookie', async t => {
    const { own, service } = await withPage(t)
    const cookie = sessionIn((await signIn(service, own)).cookies)
    const out = await fetch(`${service.server.url}/daisy/auth/logout`, {
      method: 'POST',
      headers: { ...own, cookie }
    })
    t.equal(out.status, 200)
    t.match(
      out.headers.getSetCookie().at(-1),
      /^coffer-session=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict$/
    )
    t.equal((await service.http('GET', '/daisy/access-info', undefined, { ...own, cookie })).status, 401)
    const after = await fetch(`${service.server.url}/app/session`, { headers: { ...own, cookie } })
    t.equal(((await after.json()) as Answer).session, null)
    t.match(after.headers.getSetCookie()[0], /^coffer-session=; Max-Age=0/)
  })

  t.test('survives a suspension of its account', async t => {
    const operator = { authorization: 'the key of the operator' }
    const { own, service } = await withPage(t, { adminKey: operator.authorization })
    const cookie = sessionIn((await signIn(service, own)).cookies)
    const ask = async (): Promise<Response> =>
      await fetch(`${service.server.url}/app/session`, { headers: { ...own, cookie } })
    await service.http('POST', '/system/users/daisy/suspension', {}, operator)
    const suspended = await ask()
    t.equal(suspended.status, 403)
    t.match(await suspended.json(), { error: { id: 'forbidden', data: { isSuspended: true } } })
    t.same(suspended.headers.getSetCookie(), [], 'the cookie stays')
    await service.http('DELETE', '/system/users/daisy/suspension', undefined, operator)
    t.match(await (await ask()).json(), { session: { username: 'daisy' } })
  })

  t.test('cannot be requested by pages of other origins', async t => {
    const { service } = await withPage(t)
    const allowed = async (path: string, asked: string): Promise<string | null> => {
      const answer = await fetch(service.server.url + path, {
        method: 'OPTIONS',
        headers: { origin: 'https://pages.example.com', 'access-control-request-headers': asked }
      })
      return answer.headers.get('access-control-allow-headers')
    }
    for (const path of ['/daisy/events', '/socket.io/?EIO=4&transport=polling']) {
      const several = await allowed(path, 'authorization, Coffer-App, content-type')
      t.equal(several?.replaceAll(' ', ''), 'authorization,content-type', path)
      t.notOk(await allowed(path, 'coffer-app'), path)
      t.equal(await allowed(path, 'x-other'), 'x-other', path)
    }
  })

  t.test('cannot be set by other hosts, nor used without TLS', async t => {
    const publicUrl = 'https://coffer.example.com'
    const { own, service } = await withPage(t, { publicUrl })
    const { cookies } = await signIn(service, { ...own, origin: publicUrl })
    const cookie = sessionIn(cookies)
    const status = async (headers: Sent): Promise<number> =>
      (await service.http('GET', '/daisy/access-info', undefined, { ...own, ...headers })).status
    t.equal(await status({ origin: publicUrl, cookie }), 200)
    // Browsers check the prefix at the very beginning of a name, including any Latin-1 space before it.
    for (const before of ['\u00a0', 'x=1; \u00a0', '='])
      t.equal(await status({ origin: publicUrl, cookie: before + cookie }), 401, JSON.stringify(before))
    const { 'sec-fetch-site': _untold, ...older } = own
    const plain = { ...older, cookie, host: 'coffer.example.com', origin: 'http://coffer.example.com' }
    t.equal(await statusOf(service, '/daisy/access-info', plain), 401)
    t.equal(await statusOf(service, '/daisy/access-info', { ...plain, origin: publicUrl }), 200)
  })

  t.test('is found among other cookies of the same name', async t => {
    const { own, service } = await withPage(t)
    const cookie = sessionIn((await signIn(service, own)).cookies)
    for (const other of ['coffer-session=', 'coffer-session=alice.ctoken', 'coffer-session=daisy'])
      for (const all of [`${other}; ${cookie}`, `${cookie};${other}`]) {
        const headers = { ...own, cookie: all }
        t.equal((await service.http('GET', '/daisy/access-info', undefined, headers)).status, 200, all)
        const { body } = await service.http('GET', '/app/session', undefined, headers)
        t.same(body.session, { username: 'daisy' }, all)
      }
  })

  t.test('accepts any token that an imported account may have', async t => {
    const { own, service } = await withPage(t)
    const { accounts } = service.server.services
    const store = accounts.openStore(accounts.find('daisy')!)
    const first = sessionIn((await signIn(service, own)).cookies)
    const access = store.accesses.findByToken(first.split('.')[1]!)!
    await store.write(() => store.accesses.update({ ...access, token: 'A.b_c~d-e' }))
    const cookie = 'coffer-session=daisy.A.b_c~d-e'
    t.equal((await service.http('GET', '/daisy/access-info', undefined, { ...own, cookie })).status, 200)
  })

  t.test('survives temporary errors', async t => {
    const { own, service } = await withPage(t, { limits: { callsPerToken: { personal: 2, window: 60 } } })
    const cookie = sessionIn((await signIn(service, own)).cookies)
    const headers = { ...own, cookie }
    const answers = []
    for (let i = 0; i < 3; i++) answers.push(await service.http('GET', '/app/session', undefined, headers))
    t.same(
      answers.map(({ status }) => status),
      [200, 200, 429]
    )
    t.equal(answers[2]!.body.error.id, 'too-many-requests')
    t.same(answers[2]!.headers.getSetCookie(), [])
    service.clock.advance(121)
    const { body } = await service.http('GET', '/app/session', undefined, headers)
    t.same(body.session, { username: 'daisy' })
  })

  t.test('disables caching, which an `Authorization` header would do for other requests', async t => {
    const { own, service } = await withPage(t)
    const headers = { ...own, cookie: sessionIn((await signIn(service, own)).cookies) }
    for (const path of [
      '/daisy/access-info',
      '/daisy/account',
      '/daisy/events',
      '/daisy/events?fromTime=1'
    ]) {
      const answer = await service.http('GET', path, undefined, headers)
      t.equal(answer.status, 200)
      t.equal(answer.headers.get('cache-control'), 'no-store', path)
    }
  })

  t.test('deletes its own account, if owners may, and no other', async t => {
    const { own, service } = await withPage(t, {
      userAccount: { delete: ['personalToken'], deletionGraceDays: 0 }
    })
    await service.http('POST', '/users', { ...user, username: 'alice', email: 'a@example.com' })
    const cookie = sessionIn((await signIn(service, own)).cookies)
    const remove = async (name: string, headers: Sent): Promise<number> =>
      (await service.http('DELETE', `/users/${name}`, undefined, headers)).status
    t.equal(await remove('alice', { ...own, cookie }), 404)
    t.equal(await remove('daisy', { ...own, cookie, origin: 'https://pages.example.com' }), 404)
    const { 'coffer-app': _without, ...plain } = own
    t.equal(await remove('daisy', { ...plain, cookie }), 404)
    t.equal(await remove('daisy', { ...own, cookie }), 200)
    const { body } = await service.http('GET', '/reg/daisy/check_username')
    t.equal(body.reserved, false)
  })
})
