/** Throttling of anonymous lookups, and validation of email addresses. */
import t from 'tap'
import { coffer, openCoffer, type Answer } from '../../../support/coffer.js'
import { mailbox } from '../../../support/mailbox.js'
import { until } from '../../../support/socket.js'

const ip = '192.0.2.1'

t.test('looking up users', async t => {
  const calls: readonly [method: string, params: object][] = [
    ['registration.username', { email: 'daisy@example.com' }],
    ['registration.uid', { email: 'nobody@example.com' }],
    ['auth.emailCheck', { email: 'daisy@example.com' }],
    ['auth.emailCheckPost', { email: 'nobody@example.com' }],
    ['auth.usernameCheck', { username: 'daisy' }],
    ['auth.usernameCheckPost', { username: 'nobody' }],
    ['registration.cores', { username: 'daisy' }],
    ['registration.server', { username: 'nobody' }]
  ]

  t.test('is throttled after many requests from one address, over any route', async t => {
    const service = await openCoffer(t, { registration: { maxLookupsPerHour: 8 }, domain: 'example.org' })
    await service.user('daisy', { email: 'daisy@example.com' })
    const ask = async (method: string, params: object, from = ip): Promise<Answer> =>
      await service.call(undefined, method, params, undefined, { ip: from })
    for (const [method, params] of calls) t.not((await ask(method, params)).status, 429, method)
    for (const [method, params] of calls)
      t.match(await ask(method, params), { status: 429, error: { id: 'too-many-requests' } }, method)
    for (const other of ['192.0.2.2', '127.0.0.1', '::1'])
      for (const [method, params] of calls) t.not((await ask(method, params, other)).status, 429, method)
    service.clock.advance(3600)
    for (const [method, params] of calls) t.not((await ask(method, params)).status, 429, method)
  })

  t.test('returns the time after which to retry', async t => {
    const service = await coffer(t, {
      registration: { maxLookupsPerHour: 1 },
      http: { trustedProxies: ['127.0.0.1'] }
    })
    const headers = { 'x-forwarded-for': ip }
    const path = '/reg/nobody@example.com/username'
    t.equal((await service.http('GET', path, undefined, headers)).status, 404)
    const refused = await service.http('GET', path, undefined, headers)
    t.equal(refused.status, 429)
    t.equal(refused.headers.get('retry-after'), '3600')
    t.equal((await service.http('GET', path)).status, 404, 'not this very machine')
  })

  t.test('is throttled after many unknown email addresses', async t => {
    const service = await openCoffer(t, { throttle: { perAddress: 20 } })
    await service.user('daisy', { email: 'daisy@example.com' })
    const ask = async (email: string, from: string, method = 'registration.username'): Promise<Answer> =>
      await service.call(undefined, method, { email }, undefined, { ip: from })
    for (const [address, neighbour, stranger] of [
      [ip, ip, '192.0.2.2'],
      ['2001:db8::1', '2001:db8::ffff:2', '2001:db8:0:1::1'],
      ['127.0.0.1', '127.0.0.1', '127.0.0.2']
    ] as const) {
      for (let count = 0; count < 19; count++) {
        const method = count % 2 === 0 ? 'registration.username' : 'registration.uid'
        t.equal((await ask(`nobody-${count}@example.com`, address, method)).error.id, 'unknown-resource')
      }
      t.equal((await ask('daisy@example.com', address)).username, 'daisy', 'those found do not count')
      await ask('nobody@example.com', address)
      for (const method of ['registration.username', 'registration.uid'])
        for (const email of ['nobody-20@example.com', 'daisy@example.com'])
          t.match(await ask(email, neighbour, method), {
            status: 429,
            error: { id: 'too-many-requests' }
          })
      t.equal((await ask('daisy@example.com', stranger)).username, 'daisy')
    }
  })

  t.test('does not block sign-in from the same address, and is delayed a minute at most', async t => {
    const service = await openCoffer(t, { throttle: { perAddress: 5 } })
    await service.user('nora', { email: 'nora@example.com' })
    const call = async (method: string, params: object, from: string): Promise<Answer> =>
      await service.call(undefined, method, params, undefined, { ip: from })
    const signIn = { username: 'nora', password: 'password-of-nora', appId: 'a' }
    for (const from of [ip, '127.0.0.1']) {
      for (let count = 0; count < 40; count++) {
        const answer = await call('registration.username', { email: `typo-${count}@example.com` }, from)
        if (answer.error.id === 'too-many-requests') {
          t.ok(answer.error.retryAfter === undefined || answer.error.retryAfter <= 60)
          service.clock.advance(60)
        }
      }
      for (const email of ['one-more@example.com', 'nora@example.com'])
        await call('registration.username', { email }, from)
      t.match(await call('registration.username', { email: 'nora@example.com' }, from), { status: 429 }, from)
      t.not((await call('auth.login', { ...signIn, password: 'wrong' }, from)).status, 429, from)
      service.clock.advance(60)
      t.match(await call('registration.username', { email: 'nora@example.com' }, from), { username: 'nora' })
    }
  })

  t.test('is throttled after many requests from all addresses of a network', async t => {
    const service = await openCoffer(t, { registration: { maxLookupsPerHour: 2 } })
    const ask = async (from: string): Promise<number | undefined> =>
      (await service.call(undefined, 'auth.usernameCheck', { username: 'nobody' }, undefined, { ip: from }))
        .status
    for (const [network, others] of [
      ['198.51.100.', '203.0.113.1'],
      ['2001:db8:5:', '2001:db8:6::1']
    ] as const) {
      const addresses = Array.from(
        { length: 20 },
        (_, at) => network + (network.includes(':') ? `${at}::1` : at)
      )
      const statuses: (number | undefined)[] = []
      for (const address of addresses) statuses.push(await ask(address))
      t.same(
        statuses.map(status => status === 429),
        addresses.map((_, at) => at >= 8)
      )
      t.not(await ask(others), 429)
    }
    service.clock.advance(3600)
    t.not(await ask('198.51.100.19'), 429)
  })

  t.test('is counted across all threads', async t => {
    const service = await coffer(t, { workers: 2, registration: { maxLookupsPerHour: 5 } })
    const statuses: number[] = []
    for (let count = 0; count < 8; count++) {
      const { results } = await service.call(
        'alice',
        'callBatch',
        [{ method: 'registration.uid', params: { email: 'nobody@example.com' } }],
        service.alice.token,
        { ip }
      )
      statuses.push(results[0].error.id === 'too-many-requests' ? 429 : 404)
    }
    t.same(statuses, [404, 404, 404, 404, 404, 429, 429, 429])
  })
})

t.test('an invalid email address', async t => {
  const odd = [
    'a\u0000@b.example',
    'a@b.example\r\nBcc: c@d.example',
    'a\n@b',
    'a@b\u2028',
    '\ud800@b',
    'a\u007f@b',
    'a\u0085@b'
  ]

  for (const [at, email] of odd.entries())
    t.test(`number ${at} is refused wherever an address is accepted`, async t => {
      const box = await mailbox(t)
      const service = await openCoffer(t, { ...box.settings, adminKey: 'the key of the operator' })
      const daisy = await service.user('daisy', { email: 'daisy@example.com' })
      const refused = { status: 400, error: { id: 'invalid-parameters-format' } }
      const fields = { appId: 'test-app', username: 'newcomer', password: 'a secret', email }
      t.match(await service.call(undefined, 'auth.register', fields), refused)
      t.match(await service.call(undefined, 'auth.registerOlder', fields), refused)
      const passwordHash = `$2b$10$${'a'.repeat(53)}`
      t.match(
        await service.http(
          'POST',
          '/system/create-user',
          { username: 'newcomer', passwordHash, email },
          {
            authorization: 'the key of the operator'
          }
        ),
        { status: 400 }
      )
      t.match(await daisy.call('account.update', { update: { email } }), refused)
      const event = { streamIds: [':system:email'], type: 'email/string', content: email }
      t.match(await daisy.call('events.create', event), refused)
      const { events } = await daisy.do('events.get', { streams: [':system:email'] })
      t.match(await daisy.call('events.update', { id: events[0].id, update: { content: email } }), refused)
      t.match(await service.call(undefined, 'registration.username', { email }), refused)
      t.equal((await daisy.do('account.get')).account.email, 'daisy@example.com')
      t.equal(box.connections, 0)
    })

  t.test('gets no email if an earlier version accepted it', async t => {
    const box = await mailbox(t)
    const causes: unknown[] = []
    const note = (_message: string, fields: { cause?: unknown } = {}): void => void causes.push(fields.cause)
    const service = await openCoffer(t, box.settings, { info: note, warn: note, error: note })
    for (const [at, email] of odd.entries()) {
      const username = `person-${at}`
      await service.user(username, { email })
      await service.call(username, 'account.requestPasswordReset', { appId: 'test-app' }, undefined, {
        origin: service.server.url
      })
    }
    await until(() => causes.length >= odd.length, 'all refusals')
    t.same(new Set(causes), new Set(['not an email address']))
    t.equal(box.connections, 0)
  })

  t.test('does not include unusual but valid addresses', async t => {
    const box = await mailbox(t)
    const service = await openCoffer(t, box.settings)
    const fine = [
      "o'neil+x@example.com",
      'müller@exämple.com',
      '用户@例子.例子',
      'a@b',
      '😀@example.com',
      'x_-.y@sub.example.co.uk'
    ]
    for (const [at, email] of fine.entries()) {
      const username = `person-${at}`
      const fields = { appId: 'test-app', username, password: 'a secret', email }
      t.ok((await service.call(undefined, 'auth.register', fields)).apiEndpoint, email)
    }
    t.ok((await service.call(undefined, 'registration.uid', { email: 'müller@exämple.com' })).uid)
  })
})
