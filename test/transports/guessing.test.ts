/** Guessing tokens is throttled over every transport; valid tokens are not affected. (docs/spec/limits.md#guessing) */
import t, { type Test } from 'tap'
import { type Answer, type Client, coffer, openCoffer, type Overrides } from '../support/coffer.js'
import { rotate } from '../support/rotation.js'
import { connect, socketOf } from '../support/socket.js'

const limited: Overrides = { throttle: { invalidTokens: 3 }, http: { trustedProxies: ['127.0.0.1'] } }

/** Returns a function that sends requests with a token, from an IP address. */
const from =
  (client: Client, ip = '192.0.2.1') =>
  async (token: string, path = '/access-info') =>
    await client.http('GET', path, undefined, { authorization: token, 'x-forwarded-for': ip })

t.test('guessing tokens', async t => {
  t.test('is throttled after some failures, without affecting valid tokens', async t => {
    const { alice, clock } = await coffer(t, limited)
    const ask = from(alice)
    for (let count = 0; count < 3; count++) t.equal((await ask(`guess-${count}`)).status, 401)
    const refused = await ask('another-guess')
    t.equal(refused.status, 429)
    t.equal(refused.headers.get('retry-after'), '2')
    t.match(refused.body, { error: { id: 'too-many-requests' }, meta: Object })
    t.equal((await ask(alice.token)).status, 200)
    t.equal((await from(alice, '192.0.2.2')('guess')).status, 401)
    clock.advance(2)
    t.equal((await ask('guess')).status, 401)
    t.equal((await ask('guess')).headers.get('retry-after'), '4')
  })

  t.test('is counted wherever a token may be sent', async t => {
    const { alice, service } = await start(t)
    const event = (await alice.event()).id
    const basic = `Basic ${Buffer.from('guess:').toString('base64')}`
    const attempts = [
      async () => await from(alice)('guess'),
      async () => await from(alice)(basic),
      async () => await from(alice)('', '/access-info?auth=guess'),
      async () => await from(alice)('', `/events/${event}/file?readToken=guess-guess`),
      async () =>
        await service.http('POST', '/alice/', [{ method: 'getAccessInfo', params: {} }], {
          authorization: 'guess',
          'x-forwarded-for': '192.0.2.1'
        })
    ]
    for (const attempt of attempts) {
      t.equal((await attempt()).status, 401)
      service.clock.advance(100)
      for (let count = 0; count < 2; count++) await from(alice)('guess')
      t.equal((await attempt()).status, 429)
      service.clock.advance(2000)
    }
  })

  t.test('is throttled over sockets as well, without closing open ones', async t => {
    const { alice, service } = await start(t)
    const options = { options: { extraHeaders: { 'x-forwarded-for': '192.0.2.1' } } }
    const open = await socketOf(t, alice, options)
    const { url } = service.server
    for (let count = 0; count < 3; count++)
      await t.rejects(connect(t, url, 'alice', 'guess', options), { message: /Cannot find access/ })
    await t.rejects(connect(t, url, 'alice', 'guess', options), { message: /Too many attempts/ })
    t.match(await open.call('getAccessInfo'), { name: 'coffer-test' })
    t.match(await (await socketOf(t, alice, options)).call('getAccessInfo'), { name: 'coffer-test' })
  })

  t.test('is not counted for the token of an expired access', async t => {
    const { alice, clock } = await openCoffer(t, limited)
    const expired = await alice.grant('read', '*', { expireAfter: 10 })
    clock.advance(10)
    for (let count = 0; count < 5; count++) t.equal((await from(alice)(expired.token)).status, 401)
    t.equal((await from(alice)('guess')).status, 401)
  })

  t.test('includes calls without the required token, over every transport', async t => {
    const { alice, service } = await start(t)
    const { clock, server } = service
    const options = { options: { extraHeaders: { 'x-forwarded-for': '192.0.2.1' } } }
    const attempts = [
      async () => (await from(alice)('')).status,
      async () => (await from(alice)('Basic Og==')).status,
      async () => (await from(alice)('', '/events/x/y')).status,
      async () =>
        await connect(t, server.url, 'alice', undefined, options).then(
          () => 200,
          ({ message }: Error) => (message.startsWith('Too many') ? 429 : 401)
        )
    ]
    for (const attempt of attempts) {
      for (let count = 0; count < 3; count++) t.equal(await attempt(), 401)
      for (const other of attempts) t.equal(await other(), 429)
      t.equal((await from(alice)(alice.token)).status, 200, 'right ones never wait')
      t.equal((await from(alice, '192.0.2.2')('')).status, 401)
      clock.advance(3000)
    }
  })

  t.test('does not include requests that need no token', async t => {
    const { service } = await start(t)
    const forwarded = { 'x-forwarded-for': '192.0.2.1' }
    for (let count = 0; count < 5; count++)
      for (const [verb, path] of [
        ['OPTIONS', '/alice/events'],
        ['GET', '/alice/service/info'],
        ['GET', '/reg/service/info'],
        ['GET', '/'],
        ['GET', '/access/access.html'],
        ['GET', '/reg/alice/check_username'],
        ['GET', '/healthz'],
        ['GET', '/www/event-types.json']
      ] as const)
        t.not((await service.http(verb, path, undefined, forwarded)).status, 429, `${verb} ${path}`)
    t.equal((await service.http('GET', '/alice/events', undefined, forwarded)).status, 401)
  })
})

t.test("guessing the operator's key", async t => {
  const adminKey = 'the key of the operator'
  const overrides: Overrides = {
    adminKey,
    throttle: { failures: 1000, invalidTokens: 3 },
    http: { trustedProxies: ['127.0.0.1'] },
    userAccount: { delete: ['adminToken', 'personalToken'] }
  }
  // With two threads, each of them handles one of the two names.
  const ways = [
    ['GET', '/system/user-info/alice'],
    ['GET', '/metrics'],
    ['GET', '/reg/admin/users'],
    ['DELETE', '/users/nobody-here'],
    ['DELETE', '/users/nobody-at-all']
  ] as const
  for (const workers of rotate(t, [0, 2]))
    t.test(`is throttled on every route${workers > 0 ? ', whichever thread answers' : ''}`, async t => {
      const service = await coffer(t, { ...overrides, workers })
      const { alice, clock } = service
      const ask = async ([verb, path]: (typeof ways)[number], key: string, ip = '192.0.2.1') =>
        await service.http(verb, path, undefined, { authorization: key, 'x-forwarded-for': ip })
      for (const way of ways) {
        for (let count = 0; count < 3; count++) t.equal((await ask(way, `wrong ${count}`)).status, 404)
        for (const other of ways) {
          const refused = await ask(other, 'wrong')
          t.equal(refused.status, 429, `${way.join(' ')}, then ${other.join(' ')}`)
          t.equal(refused.headers.get('retry-after'), '2')
          t.match(refused.body, { error: { id: 'too-many-requests' }, meta: Object })
          t.equal((await ask(other, adminKey)).status, 429)
        }
        t.equal((await ask(ways[0], adminKey, '192.0.2.2')).status, 200)
        t.equal((await from(alice)(alice.token)).status, 200)
        clock.advance(2)
        t.equal((await ask(ways[0], adminKey)).status, 200)
      }
      for (let count = 0; count < 10; count++)
        t.equal((await ask(ways[0], '')).status, 404, 'no guess at all')
      // Her token is valid; only the proof of identity is missing.
      t.equal((await ask(['DELETE', '/users/alice'] as never, alice.token)).status, 400)
    })
})

t.test('signing in does not reveal which users exist', async t => {
  const { server } = await openCoffer(t, { throttle: { failures: 1000, perAddress: 1000 } })
  const { services } = server
  const store = services.accounts.openStore(services.accounts.find('alice')!)
  const hash = await services.passwords.hash('a long secret')
  await store.write(() => store.account.insertPassword({ hash, created: 0 }))
  const attempt = async (username: string): Promise<{ answer: Answer; cpu: number }> => {
    const before = process.cpuUsage()
    const body = JSON.stringify({ username, password: 'not the secret', appId: 'some-app' })
    const response = await fetch(`${server.url}/${username}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: server.url },
      body
    })
    const answer = (await response.json()) as Answer
    const { user, system } = process.cpuUsage(before)
    delete answer.meta
    const headers = [...response.headers.keys()].filter(name => name !== 'date').toSorted()
    return { answer: { status: response.status, headers, answer }, cpu: user + system }
  }
  const work = { known: 0, unknown: 0 }
  for (let count = 0; count < 12; count++) {
    const [one, other] = [await attempt('alice'), await attempt('nobody-here')]
    t.strictSame(one.answer, other.answer)
    t.match(one.answer, { status: 401, answer: { error: { id: 'invalid-credentials' } } })
    // The first attempts warm up both cases.
    if (count < 2) continue
    work.known += one.cpu
    work.unknown += other.cpu
  }
  // CPU time, which hardly depends on the load of the machine.
  const ratio = work.known / work.unknown
  t.ok(ratio > 0.6 && ratio < 1.7, `after the same work: ratio ${ratio.toFixed(2)}`)
})

t.test('cookies are not accepted as tokens', async t => {
  const service = await coffer(t)
  const { alice } = service
  for (const cookie of [`sso=${alice.token}`, `sso=alice`, `token=${alice.token}; auth=${alice.token}`]) {
    const headers = { cookie, origin: 'https://evil.example.com' }
    t.equal((await service.http('GET', '/alice/access-info', undefined, headers)).status, 401)
    t.equal((await service.http('POST', '/alice/auth/logout', {}, headers)).status, 401)
  }
  t.match(await alice.call('getAccessInfo'), { type: 'personal' })
})

async function start(t: Test) {
  const service = await coffer(t, limited)
  const { alice } = service
  await alice.stream('diary')
  return { alice, service }
}
