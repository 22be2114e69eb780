/**
 * The client library that apps of this API use, unmodified, against a running server.
 * (docs/spec/compatibility.md#what-clients-rely-on)
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { Secret, TOTP } from 'otpauth'
import t, { type Test } from 'tap'
import pryv, { type Connection, type Event } from 'pryv'
import { coffer, type Answer } from '../support/coffer.js'

const appId = 'client-test'

t.test('the client library', async t => {
  const { server, clock } = await coffer(t)
  const service = new pryv.Service(`${server.url}/reg/service/info`)
  const user = {
    username: 'bob-the-user',
    password: 'a long secret',
    email: 'bob@example.com',
    hosting: 'auto',
    appId
  }
  const { apiEndpoint } = await service.createUser(user)

  await t.test('reads the service information', async t => {
    const info = await service.info()
    t.match(info, {
      name: 'Coffer',
      version: '1.6.21',
      api: /\{username\}\/$/,
      register: /\/reg\/$/,
      access: /\/$/
    })
    t.match(info, { serial: /./, eventTypes: /^http/ })
    t.equal(await service.isDnsLess(), true)
    t.equal(await service.apiEndpointFor('bob', 'token'), `${server.url.replace('//', '//token@')}/bob/`)
    const known = (await (await fetch(info.eventTypes)).json()) as object
    t.match(known, { version: String, types: { 'mass/kg': { type: 'number' } } })
    for (const place of ['/service/info', '/bob-the-user/service/info'])
      t.match(await new pryv.Service(server.url + place).info(), { ...info, meta: Object })
  })

  await t.test('finds the assets of the sign-in button', async t => {
    const { assets: { definitions } = { definitions: '' } } = await service.info()
    const assets = await service.assets()
    t.match(definitions, /index\.json$/)
    const urls = [
      'favicon:default:url',
      'css:default:url',
      ...['css', 'html', 'messages'].map(key => `lib-js:buttonSignIn:${key}`),
      'app-web-auth3:logo:url'
    ].map(key => new URL(String(assets?.get(key)), definitions))
    const answers = await Promise.all(urls.map(async url => await fetch(url)))
    t.same(
      answers.map(({ status }) => status),
      [200, 200, 200, 200, 200, 200]
    )
    t.match(answers[5]!.headers.get('content-type'), /^image\//)
    t.match(await answers[3]!.text(), /id=.pryv-access-btn-text/)
    t.match(await answers[4]!.json(), {
      LOADING: Object,
      ERROR: Object,
      LOGIN: Object,
      SIGNOUT_CONFIRM: Object
    })
  })

  await t.test('registers users and finds them', async t => {
    t.equal(apiEndpoint, `${server.url}/bob-the-user/`)
    t.equal(await service.userExists(user.username), true)
    t.equal(await service.userExists('somebody-else'), false)
    t.equal(await service.userIdForEmail(user.email), user.username)
    t.equal(await service.userIdForEmail('nobody@example.com'), null)
    t.match(await service.flatHostings(), [{ key: 'default', available: true, availableCore: /\/$/ }])
  })

  await t.test('receives the names of taken fields', async t => {
    await t.rejects(service.createUser(user), {
      name: 'PryvError',
      id: 'item-already-exists',
      status: 409,
      response: { body: { error: { data: { username: user.username, email: user.email } } } }
    })
    await t.rejects(service.createUser({ ...user, username: 'x', email: 'x@example.com' }), {
      name: 'PryvError',
      status: 400
    })
  })

  await t.test('registers users as older versions did', async t => {
    const older = new pryv.Service(`${server.url}/reg/service/info`, { version: '1.5.0' } as never)
    await older.createUser({ ...user, username: 'carol-older', email: 'carol@example.com', language: 'fr' })
    t.equal(await service.userExists('carol-older'), true)
  })

  await t.test('signs in', async t => {
    const connection = await service.login(user.username, user.password, appId)
    t.equal(await connection.username(), user.username)
    t.match(await connection.accessInfo(), {
      type: 'personal',
      name: appId,
      user: { username: user.username }
    })
    t.equal((await connection.service.info()).name, 'Coffer')
    const drift = connection.deltaTime - (clock.now() - Date.now() / 1000)
    t.ok(Math.abs(drift) < 5, 'and reckons with the clock of the service')
    await t.rejects(service.login(user.username, 'wrong', appId), {
      id: 'invalid-credentials',
      message: 'The given username/password pair is invalid.'
    })
    await t.rejects(service.login('nobody-here', 'wrong', appId), {
      id: 'invalid-credentials',
      message: 'The given username/password pair is invalid.'
    })
  })

  await t.test(
    'signs in with a second factor if the operator has set the status that it expects',
    async t => {
      const { server: other, clock: time } = await coffer(t, { services: { mfa: { pendingWith200: true } } })
      const careful = new pryv.Service(`${other.url}/reg/service/info`)
      await careful.createUser(user)
      const first = await careful.login(user.username, user.password, appId)
      const { totp, mfaToken } = (await first.post('mfa/activate', {})) as Answer
      const code = (): string =>
        new TOTP({ secret: Secret.fromBase32(totp.secret) }).generate({ timestamp: time.now() * 1000 })
      await fetch(`${other.url}/${user.username}/mfa/confirm`, {
        method: 'POST',
        headers: { authorization: mfaToken, 'content-type': 'application/json' },
        body: JSON.stringify({ code: code() })
      })
      time.advance(30)
      const pending = await careful
        .login(user.username, user.password, appId)
        .catch((error: unknown) => error as { mfaToken: string })
      t.ok('mfaToken' in pending)
      const { mfaToken: token = '' } = pending as { mfaToken?: string }
      await careful.mfaChallenge(user.username, token)
      const second = await careful.mfaVerify(user.username, token, code())
      t.equal(await second.username(), user.username)
    }
  )

  const connection = await service.login(user.username, user.password, appId)

  await t.test('makes calls in batches of any size', async t => {
    const seen: number[] = []
    const streams = ['diary', 'body'].map(id => ({ method: 'streams.create', params: { id, name: id } }))
    const events = Array.from({ length: 1200 }, (_, index) => ({
      method: 'events.create',
      params: { streamIds: ['diary'], type: 'count/generic', content: String(index), time: index + 1 },
      handleResult: async (result: { event: Event }) => void seen.push(result.event.content as number)
    }))
    const progress: number[] = []
    const results = await connection.api(
      [...streams, ...events] as never[],
      percent => void progress.push(percent)
    )
    t.equal(results.length, 1202)
    t.notOk(results.some(result => 'error' in result))
    t.same(
      seen,
      events.map((_, index) => index),
      'in their order'
    )
    t.same(progress, [83, 100])

    const mixed = await connection.api([
      { method: 'events.create', params: { streamIds: ['unknown'], type: 'note/txt', content: 'x' } },
      { method: 'no.such.method', params: {} },
      { method: 'events.get', params: { limit: 1, sortAscending: true } }
    ] as never[])
    t.match(mixed, [
      { error: { id: 'unknown-referenced-resource' } },
      { error: { id: 'invalid-method' } },
      { events: [{ content: 0 }] }
    ])
    t.same(await connection.api([]), [])
  })

  await t.test('makes single calls', async t => {
    const stream = await connection.apiOne(
      'streams.create',
      { id: 'walks', name: 'Walks', parentId: 'body' },
      'stream'
    )
    t.match(stream, { id: 'walks', parentId: 'body' })
    await connection.apiOne('streams.update', { id: 'walks', update: { name: 'Long walks' } })
    const { streams } = await connection.apiOne('streams.get', {})
    t.match(streams, [
      { id: ':_audit:' },
      { id: 'body', children: [{ name: 'Long walks', children: [] }] },
      { id: 'diary' }
    ])
    await t.rejects(connection.apiOne('events.getOne', { id: 'unknown' }, 'event'), {
      name: 'PryvError',
      innerObject: { id: 'unknown-resource' }
    })
  })

  await t.test('queries by query string', async t => {
    const get = async (query: object): Promise<unknown[]> =>
      ((await connection.get('events', query)) as { events: unknown[] }).events
    t.equal((await get({})).length, 20)
    t.equal((await get({ streams: ['diary', 'body'], types: ['count/*'], limit: 3 })).length, 3)
    t.equal((await get({ streams: 'body' })).length, 0)
    t.equal((await get({ streams: JSON.stringify({ any: ['diary'], not: ['body'] }), limit: 2 })).length, 2)
    t.equal((await get({ fromTime: 1, toTime: 10, sortAscending: true })).length, 10)
    t.match(await connection.get('events', { streams: ['unknown'] }), {
      error: { id: 'unknown-referenced-resource' }
    })
  })

  await t.test('reads events as they are streamed, followed by deletions', async t => {
    const texts = ['plain', '"quoted" \\ { [ ] }', 'größer ünd – 漢字 🎉', ']', '}', '\\"', '"events":[', '']
    const created: Event[] = []
    for (const content of [...texts, 'to be deleted'])
      created.push(
        await connection.apiOne('events.create', { streamIds: ['body'], type: 'note/txt', content }, 'event')
      )
    const last = created.at(-1)!
    await connection.apiOne('events.delete', { id: last.id })
    await connection.apiOne('events.delete', { id: last.id })

    const received = await streamed(connection, { fromTime: 0, toTime: 9_999_999_999, streams: 'body' })
    t.same(received.items.map(({ content }) => content as unknown).toSorted(), texts.toSorted())
    t.match(received.body, { eventsCount: texts.length, meta: { serverTime: Number } })

    const all = await streamed(connection, {
      fromTime: -Number.MAX_VALUE,
      toTime: Number.MAX_VALUE,
      modifiedSince: -Number.MAX_VALUE,
      state: 'all',
      includeDeletions: true
    })
    // Includes the events of the account itself: email address, language and storage used.
    const count = 1200 + texts.length + 4
    t.equal(all.items.length, count + 1)
    t.match(all.items.at(-1), { id: last.id, deleted: Number })
    t.match(all.body, { eventsCount: count, eventDeletionsCount: 1 })

    const none = await streamed(connection, { types: ['mass/kg'] })
    t.match({ items: none.items.length, count: none.body.eventsCount }, { items: 0, count: 0 })
  })

  await t.test('checks an app, creates its access and finds it again', async t => {
    const request = {
      requestingAppId: 'some-app',
      deviceName: 'phone',
      requestedPermissions: [
        { streamId: 'diary', level: 'read' as const, defaultName: 'My diary' },
        { streamId: 'sports', level: 'manage' as const, defaultName: 'Sports' }
      ]
    }
    const { checkedPermissions } = await connection.apiOne('accesses.checkApp', request)
    t.same(checkedPermissions, [
      { streamId: 'diary', level: 'read', name: 'diary' },
      { streamId: 'sports', level: 'manage', defaultName: 'Sports' }
    ])
    const access = await connection.apiOne(
      'accesses.create',
      { type: 'app', name: 'some-app', deviceName: 'phone', permissions: checkedPermissions ?? [] },
      'access'
    )
    t.match(await connection.apiOne('accesses.checkApp', request), {
      matchingAccess: { token: access.token }
    })

    const app = new pryv.Connection(access.apiEndpoint)
    t.equal(app.token, access.token)
    t.match(await app.accessInfo(), { type: 'app', name: 'some-app', deviceName: 'phone' })
    const { streams } = await app.apiOne('streams.get', {})
    t.match(streams, [{ id: 'diary' }, { id: 'sports', name: 'Sports' }])
    const refused = await app.api([
      { method: 'events.create', params: { streamIds: ['diary'], type: 'note/txt', content: 'x' } }
    ])
    t.match(refused, [{ error: { id: 'forbidden' } }])

    t.match(await app.revoke(), { accessDeletion: { id: access.id } })
    t.match(await app.accessInfo(), {
      error: { id: 'invalid-access-token', message: 'Cannot find access from token.' }
    })
  })

  await t.test('returns the error for an unknown user', async t => {
    const stray = new pryv.Connection(`${server.url.replace('//', '//token@')}/nobody-here/`)
    t.match(await stray.accessInfo(), { error: { id: 'unknown-resource', message: /Unknown user/ } })
  })

  await t.test('uploads files and reads back the same bytes', async t => {
    const bytes = randomBytes(300_000)
    const folder = t.testdir({})
    const file = join(folder, 'größe 100%.png')
    writeFileSync(file, bytes)
    const fields = { streamIds: ['diary'], type: 'picture/attached' }
    const sent: { event: Event }[] = [
      await connection.createEventWithFile(fields, file),
      await connection.createEventWithFileFromBuffer(fields, bytes, 'from a buffer.png')
    ] as never[]
    t.match(sent, [
      { event: { attachments: [{ fileName: 'größe 100%.png', type: 'image/png', size: bytes.length }] } },
      { event: { attachments: [{ fileName: 'from a buffer.png', type: 'image/png', size: bytes.length }] } }
    ])
    for (const { event } of sent) {
      const [attachment] = event.attachments!
      const { token, endpoint } = pryv.utils.extractTokenAndAPIEndpoint(connection.apiEndpoint)
      const url = `${endpoint}events/${event.id}/${attachment!.id}`
      for (const address of [`${url}?readToken=${attachment!.readToken}`, url]) {
        const headers = address === url ? { authorization: token! } : undefined
        const answer = await fetch(address, headers ? { headers } : {})
        t.equal(answer.status, 200)
        t.ok(Buffer.from(await answer.arrayBuffer()).equals(bytes))
      }
    }
  })
})

t.test('getEventsStreamed returns characters whole, wherever chunks end', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  const notes = Array.from(
    { length: 2000 },
    (_, n) => `${n} Καλημέρα 😀👩‍👩‍👧 早上好，你好 \ud800 é "\\ ${'ω😀好'.repeat(n % 10)}`
  )
  await alice.do(
    'callBatch',
    notes.map((content, time) => ({
      method: 'events.create',
      params: { streamIds: ['diary'], type: 'note/txt', content, time }
    }))
  )
  const { events } = await alice.do('events.get', { limit: 2000, sortAscending: true })
  t.same(
    events.map(({ content }: Answer) => content),
    notes
  )
  // A slow network splits short responses into chunks of a few bytes.
  for (const [query, size] of [
    ...Array.from({ length: 20 }, () => [{ limit: 2000 }, 65_536] as const),
    [{ limit: 300 }, 7],
    [{ limit: 5 }, 1],
    [{ limit: 5, modifiedSince: 0, includeDeletions: true }, 1]
  ] as const) {
    const url = await cutting(t, alice.service.server.url, size)
    const connection = new pryv.Connection(`${url.replace('//', `//${alice.token}@`)}/${alice.username}/`)
    const { items } = await streamed(connection, { fromTime: 0, toTime: 1e9, sortAscending: true, ...query })
    if (!isDeepStrictEqual(items, events.slice(0, query.limit))) t.fail(`damaged: ${JSON.stringify(query)}`)
  }
})

/** Starts a proxy that sends responses in chunks of the given size. Returns its URL. */
async function cutting(t: Test, url: string, size: number): Promise<string> {
  const target = new URL(url)
  const proxy = createServer(client => {
    const upstream = connect(Number(target.port), target.hostname)
    client.setNoDelay(true).pipe(upstream)
    upstream.on('data', part => {
      upstream.pause()
      void (async () => {
        for (let at = 0; at < part.length; at += size) {
          client.write(part.subarray(at, at + size))
          await nextTurn()
        }
        upstream.resume()
      })()
    })
    for (const [one, other] of [
      [client, upstream],
      [upstream, client]
    ] as const)
      one.on('error', () => undefined).on('close', () => other.destroy())
  }).listen(0, '127.0.0.1')
  t.teardown(() => proxy.close())
  await once(proxy, 'listening')
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

/** Returns all events, then deletions, as the library streams them. */
async function streamed(
  connection: Connection,
  query: object
): Promise<{ items: Event[]; body: { eventsCount?: number } }> {
  const items: Event[] = []
  const body = await connection.getEventsStreamed(query, event => void items.push(event))
  return { items, body }
}
