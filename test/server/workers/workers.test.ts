/** The service with threads that own the users' files: callers see no difference to a service without threads. */
import t from 'tap'
import { createFixedShards } from '../../../core/call/shard.js'
import { WorkerThread } from '../../../server/workers/worker-thread.js'
import {
  Client,
  coffer,
  openCoffer,
  testConfig,
  testSettings,
  type Answer,
  type Service
} from '../../support/coffer.js'
import { receiver } from '../../support/receiver.js'
import { readJson, unlimited } from '../../../core/json/reader.js'
import { runInTurns } from '../../../storage/steps.js'
import { assertTakesLessThan, longestTurn } from '../../support/probe.js'
import { inRotation } from '../../support/rotation.js'
import { connect, socketOf, until } from '../../support/socket.js'
import { startServer } from '../../../server/server.js'
import { ManualClock } from '../../../core/time.js'

const count = 2
const shards = createFixedShards(count)
// Each thread loads the whole core.
t.setTimeout(900_000)
const names = ['bobby', 'carla', 'david', 'ellen', 'frank', 'gerda']

/** Returns a user whose file belongs to another thread than that of `username`. */
async function stranger(service: Service, username: string): Promise<Client> {
  const name = names.find(one => shards.indexOf(one) !== shards.indexOf(username))!
  return await service.user(name)
}

t.test('a service with threads', async t => {
  const service = await coffer(t, {
    workers: count,
    limits: { callsInFlight: 50 },
    auth: { usernameChangeInterval: 0 },
    throttle: { perAddress: 4, failures: 100 },
    webhooks: { allowInternalTargets: true }
  })
  const { alice, clock } = service
  const bob = await stranger(service, 'alice')
  await alice.stream('diary')
  await bob.stream('diary')

  t.test('finds accounts by aliases and former names', async t => {
    const user = await service.user('gustav')
    await user.stream('diary')
    const aliases: Client[] = []
    for (let at = 0; at < 4; at++) {
      const { access } = await user.grant('read', 'diary', { randomAlias: true })
      aliases.push(new Client(service, access.alias!, access))
    }
    const listener = await socketOf(t, aliases[0]!)
    // Names that belong to either thread.
    for (const newUsername of [0, 1].map(thread => names.find(name => shards.indexOf(name) === thread)!))
      await user.do('account.changeUsername', { newUsername: `${newUsername}-new` })
    for (const holder of aliases) {
      t.match(await holder.http('GET', '/access-info'), { body: { user: { username: holder.username } } })
      t.match(await user.http('GET', `/../${holder.username}/events`), { status: 404 })
    }
    for (const { username } of [user, { username: `${names.find(name => shards.indexOf(name) === 0)!}-new` }])
      t.match((await service.call(username, 'getAccessInfo', {}, user.token)).user, { username: /-new$/ })
    await user.event()
    await until(() => listener.heard.includes('eventsChanged'), 'a message')
  })

  t.test('keeps users separate, whichever thread owns their file', async t => {
    await alice.event({ content: 'of Alice' })
    await bob.event({ content: 'of the other' })
    for (const [client, content] of [
      [alice, 'of Alice'],
      [bob, 'of the other']
    ] as const) {
      const { events } = await client.do('events.get', { streams: ['diary'] })
      t.same(
        events.map((event: Answer) => event.content),
        [content]
      )
    }
    const asAlice = await bob.http('GET', '/access-info', undefined, { authorization: alice.token })
    t.match(asAlice, { status: 401, body: { error: { id: 'invalid-access-token' } } })
    const nobody = await service.http('GET', '/nobody/events')
    t.match(nobody, { status: 404, body: { error: { id: 'unknown-resource' } } })
  })

  t.test('returns errors with all their details', async t => {
    await alice.stream('twice')
    const { body, headers, status } = await alice.http('POST', '/streams', { id: 'twice', name: 'Twice' })
    t.match(
      { body, status },
      { status: 409, body: { error: { id: 'item-already-exists', data: { id: 'twice' } } } }
    )
    t.equal(headers.get('access-id'), alice.access.id)
    const taken = await service.http('GET', '/reg/alice/check_username')
    t.match(taken, { status: 409, body: { reserved: true, error: { id: 'item-already-exists' } } })
  })

  t.test('executes the calls of a batch', async t => {
    const { body } = await bob.http('POST', '/', [
      { method: 'events.create', params: { streamIds: ['diary'], type: 'note/txt', content: 'in a batch' } },
      { method: 'service.info', params: {} },
      { method: 'events.create', params: { streamIds: ['nowhere'], type: 'note/txt', content: 'lost' } }
    ])
    t.match(body.results, [
      { event: { content: 'in a batch' } },
      { name: 'Coffer' },
      { error: { id: 'unknown-referenced-resource' } }
    ])
  })

  t.test('records where a user has signed in from, also in a batch', async t => {
    const user = await service.user('hanna')
    const params = { username: 'hanna', password: 'a password', appId: 'test-batch' }
    await service.call(undefined, 'test.setPassword', { username: 'hanna', password: 'a password' })
    const headers = { origin: service.server.url, 'user-agent': 'Mozilla/5.0 (Android 14) Firefox/130.0' }
    const { body } = await user.http('POST', '/', [{ method: 'auth.login', params }], headers)
    t.match(body.results, [{ token: String }])
    const { sessions } = await user.do('sessions.get', {})
    t.match(
      sessions.find((each: Answer) => each.appId === 'test-batch'),
      { signedIn: { userAgent: headers['user-agent'] } }
    )
  })

  t.test('streams long lists, and drops those that the client abandons', async t => {
    const calls = Array.from({ length: 3000 }, (_, at) => ({
      method: 'events.create',
      params: { streamIds: ['twice'], type: 'note/txt', content: `${at} ${'x'.repeat(100)}`, time: at }
    }))
    await alice.http('POST', '/', calls)
    const { body } = await alice.http('GET', '/events?streams=twice&limit=5000&sortAscending=true')
    t.same(
      body.events.map((event: Answer) => event.time),
      calls.map((_, at) => at)
    )
    const response = await fetch(`${service.server.url}/alice/events?streams=twice&limit=5000`, {
      headers: { authorization: alice.token }
    })
    await response.body!.cancel()
    const head = await alice.http('HEAD', '/events?streams=twice&limit=5000')
    t.equal(head.status, 200)
    t.equal((await alice.do('events.get', { streams: ['twice'], limit: 5000 })).events.length, 3000)
  })

  t.test('sends lists in ASCII, which some clients decode part by part', async t => {
    const user = await service.user('irene')
    await user.stream('diary')
    const content = 'ω😀好'.repeat(20_000)
    for (let time = 0; time < 3; time++) await user.event({ content, time })
    for (const limit of [1, 3]) {
      const response = await fetch(`${service.server.url}/irene/events?streams=diary&limit=${limit}`, {
        headers: { authorization: user.token }
      })
      const text = Buffer.from(await response.arrayBuffer())
      t.ok(text.every(byte => byte < 128))
      t.equal(JSON.parse(text.toString()).events.at(-1).content, content)
    }
  })

  t.test('takes long params in short turns of the main thread', async t => {
    const rows = `{"format":"flatJSON","fields":["deltaTime","value"],"points":[${'[],'.repeat(2_000_000)}[]]}`
    const body = (await runInTurns(readJson(rows, unlimited))) as object
    for (const [method, params] of [
      ['hfs.add', { id: 'unknown', ...body }],
      ['events.create', { clientData: body }]
    ] as const)
      await assertTakesLessThan(t, 100, () =>
        longestTurn(async () => {
          const credentials = { authorization: alice.token, ip: '192.0.2.1', via: 'http' } as const
          t.match(await service.server.dispatcher.call({ user: 'alice', method, params, credentials }), {
            ok: false,
            error: { id: method === 'hfs.add' ? 'unknown-resource' : 'invalid-parameters-format' }
          })
        })
      )
  })

  t.test('offers the methods of the API only', async t => {
    const [own, others] = [service, await openCoffer(t)].map(({ server }) =>
      server.dispatcher.definitions.map(({ id }) => id)
    )
    t.same(own, others)
  })

  t.test('stores files and returns them', async t => {
    const form = new FormData()
    form.append('event', JSON.stringify({ streamIds: ['diary'], type: 'file/attached' }))
    form.append('file', new Blob(['some bytes'], { type: 'text/plain' }), 'note.txt')
    const { body, status } = await bob.http('POST', '/events', form)
    t.equal(status, 201)
    const [attachment] = body.event.attachments
    const path = `/events/${body.event.id}/${attachment.id}?readToken=${attachment.readToken}`
    const file = await service.http('GET', `/${bob.username}${path}`)
    t.same([file.status, file.body], [200, 'some bytes'])
    const whole = await bob.http('GET', '/account/export')
    t.match([whole.status, whole.headers.get('content-type')], [200, 'application/zip'])
    const refused = await bob.http('POST', '/events', form, { authorization: 'nonsense' })
    t.match(refused, { status: 401, body: { error: { id: 'invalid-access-token' } } })
  })

  t.test('handles each kind of result: images, exports', async t => {
    const exported = await bob.http('GET', '/account/export')
    t.equal(exported.status, 200)
    const bare = await bob.event({ type: 'picture/attached', content: null })
    t.equal((await bob.http('GET', `/events/${bare.id}.jpg`)).status, 422, 'asked for a picture, not 204')
  })

  t.test('notifies sockets of changes, and disconnects them when their access ends', async t => {
    const [one, other] = [await socketOf(t, alice), await socketOf(t, bob)]
    await alice.http('POST', '/streams', { id: 'heard', name: 'Heard' })
    t.same([await one.news(), await other.news()], [['streamsChanged'], []])
    t.match(await one.call('subscribe', { key: 'mine', kind: 'events', query: { streams: ['heard'] } }), {
      ok: true,
      keys: ['mine']
    })
    await alice.event({ streamIds: ['heard'] })
    t.same(await one.news(), ['notificationsChanged'])
    const app = await alice.grant('read', 'diary')
    const shared = await socketOf(t, app)
    await alice.do('accesses.delete', { id: app.access.id })
    await shared.closed()
    await t.rejects(connect(t, service.server.url, 'alice', app.token), /Cannot find access/)
    const expiring = await alice.grantAll([{ streamId: 'diary', level: 'read' }], { expireAfter: 60 })
    const brief = await socketOf(t, expiring)
    clock.advance(61)
    await brief.closed()
  })

  t.test('calls webhooks', async t => {
    const target = await receiver(t)
    const app = await bob.grant('read', 'diary')
    await app.do('webhooks.create', { url: target.url })
    await bob.event()
    t.same(await target.received(1), [['eventsChanged']])
  })

  t.test('connects an app and a user whose threads differ', async t => {
    for (const user of [alice, bob]) {
      const asked = await service.call(undefined, 'authRequest.create', {
        requestingAppId: 'test-app',
        requestedPermissions: [],
        returnURL: false
      })
      const app = await user.grant('read', 'diary', { type: 'app', name: 'test-app' })
      const { apiEndpoint } = app.access as Answer
      await service.call(undefined, 'authRequest.decide', { key: asked.key, status: 'ACCEPTED', apiEndpoint })
      t.match(await service.http('GET', `/reg/access/${asked.key}`), {
        status: 200,
        body: { status: 'ACCEPTED', username: user.username, token: app.token }
      })
      const [{ status }] = (
        await bob.do('callBatch', [{ method: 'authRequest.poll', params: { key: asked.key } }])
      ).results
      t.equal(status, 'ACCEPTED')
    }
  })

  t.test('clients behind a proxy that is not trusted share no network', async t => {
    const app = { requestingAppId: 'test-app', requestedPermissions: [] }
    const asked = await service.http('POST', '/reg/access', app, { 'x-forwarded-for': '198.51.100.1' })
    const { body } = await alice.http(
      'POST',
      '/accesses/check-app',
      { ...app, requestKey: asked.body.key },
      { 'x-forwarded-for': '203.0.113.7' }
    )
    t.match(body.consent.asked, { network: '', isNear: false })
  })

  t.test('counts the failures of an address across threads', async t => {
    const headers = { origin: service.server.url }
    const statuses: number[] = []
    for (let at = 0; at < 5; at++) {
      const username = at % 2 ? 'alice' : bob.username
      const params = { username, password: 'wrong', appId: 'test-app' }
      statuses.push((await service.http('POST', `/${username}/auth/login`, params, headers)).status)
    }
    t.same(statuses, [401, 401, 401, 401, 429])
  })

  t.test('refuses calls over the limit of calls in flight per thread', async t => {
    const answers = await Promise.all(Array.from({ length: 200 }, () => alice.http('GET', '/events')))
    const refused = answers.filter(({ status }) => status !== 200)
    for (const { body, headers, status } of refused) {
      t.match({ status, body }, { status: 503, body: { error: { id: 'api-unavailable' } } })
      t.equal(headers.get('retry-after'), '1')
    }
    t.ok(refused.length < answers.length)
    t.equal((await alice.http('GET', '/events')).status, 200)
  })
})

t.test('threads return current ids for calls that disable backward compatibility', async t => {
  const service = await coffer(t, {
    workers: 1,
    backwardCompatibility: { systemStreams: { prefix: { isActive: true } } }
  })
  const daisy = await service.user('daisy', { email: 'daisy@example.com' })
  const today = { 'disable-backward-compatibility-prefix': 'true' }
  const path = '/events?streams=:system:email'
  const older = await daisy.http('GET', '/events?streams=.email')
  t.match(older.body.events, [{ streamId: '.email' }])
  const former = await daisy.http('GET', path)
  const { body, headers } = await daisy.http('GET', path, undefined, today)
  t.match(body.events, [{ streamId: ':system:email', integrity: String }])
  t.not(headers.get('etag'), former.headers.get('etag'), 'another answer has another validator')
  const etag = former.headers.get('etag')!
  const known = await daisy.http('GET', path, undefined, { ...today, 'if-none-match': etag })
  t.equal(known.status, 200, 'the former answer is not taken for this one')
})

t.test('the number of threads may change between starts', async t => {
  const { alice, directory, server } = await coffer(t, { workers: 2 })
  await alice.stream('diary')
  await alice.event({ content: 'kept' })
  await server.close()
  for (const workers of [0, 1]) {
    const again = await startServer(testSettings(directory, { workers }), { clock: new ManualClock() })
    const response = await fetch(`${again.url}/alice/events?streams=diary`, {
      headers: { authorization: alice.token }
    })
    const { events } = (await response.json()) as Answer
    t.same(
      events.map((event: Answer) => event.content),
      ['kept'],
      `${workers} threads`
    )
    await again.close()
  }
})

const rarely = inRotation(t, 2)

void rarely('a service whose thread cannot start does not start', async t => {
  const { directory } = await coffer(t)
  const settings = testSettings(`${directory}/other`, {
    workers: 1,
    auth: { authorizationStep: `${directory}/no-such-module.js` }
  })
  await t.rejects(startServer(settings))
})

void rarely('a thread that has ended refuses requests', async t => {
  const { directory } = await coffer(t)
  const config = testConfig(`${directory}/other`, { auth: { authorizationStep: `${directory}/none.js` } })
  const handlers = {
    fatal: unheard,
    notify: unheard,
    unsubscribed: unheard,
    log: unheard,
    forward: unheard
  }
  const thread = new WorkerThread(
    { config, index: 0, count: 1, methodModules: [] },
    { ...handlers, throttled: unheard, forget: unheard }
  )
  await t.rejects(thread.ready)
  await t.rejects(thread.peer.request('gauges'))
  t.equal(thread.peer.pendingCount, 0)
})

function unheard(): void {}
