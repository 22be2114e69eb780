/** Scopes with queries, over real sockets: what they select, who may subscribe, and what is refused. (docs/spec/notifications.md#scopes) */
import t, { type Test } from 'tap'
import { coffer, type Answer, type Client } from '../support/coffer.js'
import type { Change } from '../../core/changes.js'
import { receiver } from '../support/receiver.js'
import { socketOf, until, type TestSocket } from '../support/socket.js'

t.setTimeout(300_000)

/** Creates the streams of these tests. */
async function start(t: Test, settings: object = {}) {
  const service = await coffer(t, settings)
  const { alice } = service
  for (const id of ['diary', 'work']) await alice.stream(id)
  for (const id of ['private', 'drop']) await alice.stream(id, 'diary')
  return service
}

/** Returns the keys that were notified since the last call, and makes sure that no other messages were. */
async function keys(t: Test, socket: TestSocket): Promise<string[]> {
  const news = await socket.news()
  t.same(
    news.filter(name => name !== 'notificationsChanged'),
    [],
    'nothing but keys'
  )
  return socket.payloads.splice(0).flatMap(payload => (payload as { keys: string[] }).keys)
}

const subscribe = (socket: TestSocket, query?: object, kind?: string, key = 'k'): Promise<Answer> =>
  socket.call('subscribe', { key, ...(kind !== undefined && { kind }), ...(query && { query }) })

const pressure = (systolic: number): object => ({ systolic, diastolic: 80 })
const scopesOf = async (socket: TestSocket): Promise<unknown> =>
  (await socket.call('getSubscriptions')).scopes

t.test('a scope of one type is notified of nothing else, and its kind is events by default', async t => {
  const { alice } = await start(t)
  const socket = await socketOf(t, alice)
  t.match(await subscribe(socket, { types: ['mass/kg'] }), { ok: true, keys: ['k'] })
  await alice.event()
  t.same(await keys(t, socket), [])
  const { id } = await alice.event({ type: 'mass/kg', content: 1 })
  t.same(await keys(t, socket), ['k'])
  await alice.do('events.update', { id, update: { type: 'mass/g' } })
  t.same(await keys(t, socket), ['k'], 'the event has left the view')
  await alice.do('events.update', { id, update: { content: 2 } })
  t.same(await keys(t, socket), [])
  t.match(await subscribe(socket, { types: ['mass/*'] }, 'events', 'class'), { keys: ['k', 'class'] })
  await alice.do('events.delete', { id })
  t.same(await keys(t, socket), ['class'], 'it has left the view of events that are not in the trash')
  await alice.do('events.delete', { id })
  t.same(await keys(t, socket), [], 'it was not in the view when it was deleted')
  t.match(await socket.call('getSubscriptions'), { scopes: { k: { kind: 'events' }, class: {} } })
  t.match(await socket.call('unsubscribe', { key: 'k' }), { ok: true, keys: ['class'] })
})

t.test('a scope of contents selects an event before or after an update', async t => {
  const { alice } = await start(t)
  const socket = await socketOf(t, alice)
  const content = [{ path: 'systolic', gte: 140 }]
  await subscribe(socket, { content: JSON.stringify(content), clientData: [{ path: 'by', eq: 'x' }] })
  const type = 'blood-pressure/mmhg-bpm'
  const { id } = await alice.event({ type, content: pressure(130), clientData: { by: 'x' } })
  t.same(await keys(t, socket), [])
  for (const [systolic, expected] of [
    [150, ['k']],
    [160, ['k']],
    [120, ['k']],
    [121, []]
  ] as const) {
    await alice.do('events.update', { id, update: { content: pressure(systolic) } })
    t.same(await keys(t, socket), expected, `${systolic}`)
  }
  // A content too large to be kept may meet any condition.
  await alice.event({ type: 'note/txt', content: 'x'.repeat(5000), clientData: { by: 'y' } })
  t.same(await keys(t, socket), ['k'])
})

t.test('conditions tell nothing about events that the access cannot read', async t => {
  const { alice } = await start(t)
  const reader = await alice.grantAll([
    { streamId: 'diary', level: 'read' },
    { streamId: 'private', level: 'none' },
    { streamId: 'drop', level: 'create-only' }
  ])
  const socket = await socketOf(t, reader)
  const secret = [{ path: '$', eq: 'secret' }]
  t.match(
    await socket.call('subscribe', {
      scopes: {
        secret: { query: { content: secret } },
        any: {},
        streams: { query: { streams: { any: ['diary'], not: ['private'] } } }
      }
    }),
    { ok: true, keys: ['secret', 'any', 'streams'] }
  )
  const all = ['secret', 'any', 'streams']
  for (const streamIds of [['private'], ['diary', 'private'], ['drop'], ['diary', 'drop'], ['work']])
    await alice.event({ streamIds, content: 'secret' })
  t.same(await keys(t, socket), [])
  const { id } = await alice.event({ streamIds: ['private'], content: 'secret' })
  await alice.do('events.update', { id, update: { content: 'other', streamIds: ['diary'] } })
  t.same(await keys(t, socket), ['any', 'streams'], 'not by what it was while it was hidden')
  await alice.do('events.update', { id, update: { content: 'secret', streamIds: ['private'] } })
  t.same(await keys(t, socket), ['any', 'streams'], 'nor by what it is now')
  await alice.do('events.update', { id, update: { streamIds: ['diary'] } })
  t.same(await keys(t, socket), all)
  for (const streams of [['drop'], ['private'], { any: ['work'] }, [{ any: ['diary'] }, { any: ['work'] }]])
    t.match(await subscribe(socket, { streams }), { error: { id: 'forbidden' } }, JSON.stringify(streams))
  t.match(await socket.call('getSubscriptions'), { scopes: { secret: {}, any: {}, streams: {} } })
})

t.test('the subscription of current monitors is accepted, with and without a filter', async t => {
  const { alice } = await start(t)
  for (const filter of [{}, { streams: ['diary'], types: ['note/txt'] }]) {
    const socket = await socketOf(t, alice)
    const { types: _, ...ofStreams } = { types: [], ...filter }
    const scopes = {
      monEvents: { kind: 'events', query: filter },
      monStreams: { kind: 'streams', query: ofStreams }
    }
    t.match(await socket.call('subscribe', { scopes }), { ok: true, keys: ['monEvents', 'monStreams'] })
    await alice.event()
    t.same(await keys(t, socket), ['monEvents'])
    await alice.do('streams.update', { id: 'diary', update: { clientData: { x: 1 } } })
    t.same(await keys(t, socket), ['monStreams'])
  }
})

t.test('many events in one call are compared by their streams alone, in bounded memory', async t => {
  const { alice } = await start(t, { workers: 0 })
  for (const id of ['old', 'other']) await alice.stream(id, 'diary')
  const count = 600
  await alice.do(
    'callBatch',
    Array.from({ length: count }, () => ({
      method: 'events.create',
      params: { streamIds: ['old'], type: 'note/txt', content: 'x' }
    }))
  )
  const socket = await socketOf(t, alice)
  await socket.call('subscribe', {
    scopes: {
      here: { query: { streams: ['old'], types: ['mass/kg'], state: 'all' } },
      there: { query: { streams: ['other'], state: 'all' } },
      work: { query: { streams: ['work'] } }
    }
  })
  await alice.do('streams.delete', { id: 'old' })
  const { services } = alice.service.server
  const published = new Promise<Change>(resolve => {
    const stop = services.bus.subscribe((_, change) => {
      if (change.kind !== 'events') return
      stop()
      resolve(change)
    })
  })
  await alice.do('streams.delete', { id: 'old', mergeEventsWithParent: true })
  t.same(await keys(t, socket), ['here'])
  const { items, places } = await published
  t.same([items, places?.length], [undefined, 2], 'their streams before and after')
})

t.test('a scope of streams is notified of streams below its own', async t => {
  const { alice } = await start(t)
  const socket = await socketOf(t, alice)
  await subscribe(socket, { streams: ['private'] }, 'streams')
  await alice.stream('new', 'private')
  t.same(await keys(t, socket), ['k'], 'its parent is in the scope')
  await alice.do('streams.update', { id: 'new', update: { parentId: 'work' } })
  t.same(await keys(t, socket), ['k'], 'it was')
  await alice.do('streams.update', { id: 'new', update: { name: 'newer' } })
  t.same(await keys(t, socket), [])
})

t.test('a scope of accesses', async t => {
  const { alice } = await start(t)
  const app = await alice.grant('manage', 'diary', { type: 'app' })
  const socket = await socketOf(t, alice)
  const access = app.access.id
  await socket.call('subscribe', {
    scopes: {
      apps: { kind: 'accesses', query: { types: ['app'] } },
      diary: { kind: 'accesses', query: { streams: ['diary'] } },
      one: { kind: 'accesses', query: { accessIds: [access] } },
      all: { kind: 'accesses' },
      both: { kind: 'accesses', query: { types: ['shared'], streams: ['work'] } }
    }
  })

  t.test('selects them by type, streams and id', async t => {
    await alice.grant('read', 'private')
    t.same(await keys(t, socket), ['diary', 'all'])
    await alice.grant('read', 'work')
    t.same(await keys(t, socket), ['all', 'both'])
    await alice.grant('read', 'work', { type: 'app' })
    t.same(await keys(t, socket), ['apps', 'all'])
    await alice.do('accesses.delete', { id: access })
    t.same(await keys(t, socket), ['apps', 'diary', 'one', 'all'])
  })

  t.test('has a query for personal accesses only', async t => {
    const other = await alice.grant('manage', 'diary', { type: 'app' })
    const own = await socketOf(t, other)
    t.match(await subscribe(own, { types: ['app'] }, 'accesses'), { error: { id: 'forbidden' } })
    t.match(await subscribe(own, undefined, 'accesses'), { ok: true })
    await other.grant('read', 'diary')
    t.same(await keys(t, own), ['k'])
  })
})

t.test('malformed queries are refused with the errors of events.get, and register nothing', async t => {
  const { alice } = await start(t)
  const socket = await socketOf(t, alice)
  const cases: [string, object, string?][] = [
    ['invalid-parameters-format', { streams: [] }],
    ['invalid-parameters-format', { types: ['mass'] }],
    ['invalid-parameters-format', { types: 'mass/kg' }],
    ['invalid-parameters-format', { state: 'some' }],
    ['invalid-parameters-format', { content: [{ path: '$', eq: 1, gt: 2 }] }],
    ['invalid-parameters-format', { content: '[' }],
    ['invalid-parameters-format', { clientData: [{ path: 'a b', eq: 1 }] }],
    ['invalid-parameters-format', { fromTime: 1 }],
    ['invalid-parameters-format', { accessIds: ['x'] }],
    ['invalid-parameters-format', { types: ['mass/kg'] }, 'streams'],
    ['invalid-parameters-format', { types: ['mass/kg'] }, 'accesses'],
    ['invalid-request-structure', { streams: { all: ['diary'] } }],
    ['invalid-request-structure', { streams: ['diary', { any: ['work'] }] }],
    ['invalid-request-structure', { streams: 1 }],
    ['unknown-referenced-resource', { streams: { any: ['unknown'] } }],
    ['unknown-referenced-resource', { streams: [':_audit:'] }],
    ['unknown-referenced-resource', { streams: ['unknown'] }, 'streams'],
    ['invalid-operation', { types: Array.from({ length: 500 }, () => `a/${'x'.repeat(250)}`) }],
    [
      'invalid-operation',
      { accessIds: Array.from({ length: 1000 }, () => 'x'), streams: ['diary'] },
      'accesses'
    ]
  ]
  for (const [id, query, kind] of cases)
    t.match(
      await subscribe(socket, query, kind),
      { error: { id } },
      `${id} ${JSON.stringify(query).slice(0, 100)}`
    )
  const scopes = { good: { query: { types: ['mass/kg'] } }, bad: { query: { streams: ['unknown'] } } }
  t.match(await socket.call('subscribe', { scopes }), { error: { id: 'unknown-referenced-resource' } })
  t.same((await socket.call('getSubscriptions')).scopes, {})
  await alice.stream('new')
  t.same(await socket.news(), ['streamsChanged'], 'still the messages of the API')
})

t.test('scopes are cut to what can still be read, and vanish with their last stream', async t => {
  const { alice } = await start(t)
  const app = await alice.grantAll([
    { streamId: 'diary', level: 'manage' },
    { streamId: 'work', level: 'read' }
  ])
  const remove = async (id: string): Promise<void> => {
    for (let count = 0; count < 2; count++)
      await alice.do('streams.delete', { id, mergeEventsWithParent: false })
  }
  for (const client of [alice, app] as Client[]) {
    await alice.stream('old', 'diary')
    await alice.event({ streamIds: ['old'] })
    const socket = await socketOf(t, client)
    await socket.call('subscribe', {
      scopes: {
        both: { query: { streams: ['old', 'work'] } },
        old: { query: { streams: { any: ['old!'], not: ['private'] } } },
        tree: { kind: 'streams', query: { streams: ['old'] } }
      }
    })
    await remove('old')
    // Into the trash, then permanently with its event.
    t.same(await keys(t, socket), ['tree', 'tree'])
    t.same(await scopesOf(socket), { both: { kind: 'events', query: { streams: [{ any: ['work'] }] } } })
    await alice.event({ streamIds: ['work'] })
    t.same(await keys(t, socket), ['both'])
    await socket.call('unsubscribe', { all: true })
  }
  const socket = await socketOf(t, app)
  await subscribe(socket, { streams: ['private'] })
  await remove('private')
  t.same(await socket.news(), [])
  await alice.stream('last', 'diary')
  t.same(await socket.news(), ['streamsChanged'], 'without any scope, the messages of the API are back')
})

t.test('webhooks have the same scopes, at creation and update', async t => {
  const service = await start(t, { webhooks: { allowInternalTargets: true } })
  const { alice } = service
  const app = await alice.grant('read', 'diary', { type: 'app' })
  const target = await receiver(t)
  const scopes = {
    kilos: { query: { types: ['mass/kg'] } },
    high: { query: { content: [{ path: '$', gt: 9 }] } }
  }
  const { webhook } = await app.do('webhooks.create', { url: target.url, scopes })
  t.match(webhook.scopes, scopes)
  await alice.event({ type: 'mass/g', content: 1 })
  await alice.event({ type: 'mass/kg', content: 1 })
  t.same(await target.received(1), [['kilos']])
  const { id } = webhook
  const refused = { trash: { query: { streams: { any: ['work'] } } } }
  t.match(await app.call('webhooks.update', { id, update: { scopes: refused } }), {
    error: { id: 'forbidden' }
  })
  const trash = { trash: { kind: 'events', query: { streams: { any: ['diary'] }, state: 'trashed' } } }
  await app.do('webhooks.update', { id, update: { scopes: trash } })
  service.clock.advance(10)
  const event = await alice.event({ type: 'mass/kg', content: 10 })
  await alice.do('events.delete', { id: event.id })
  t.same((await target.received(2))[1], ['trash'])
})

/** The longest scope that ten sockets or webhooks of an account can have, and five of one shared or app access. */
const long = { content: [{ path: '$', eq: 'x'.repeat(99_900) }] }
const noRoom = { error: { id: 'invalid-operation', message: /at most 1000000 characters together/ } }

t.test('scopes of all sockets of an account are limited together, those of one access to half', async t => {
  const { alice } = await start(t)
  const reader = await alice.grant('read', 'diary')
  const fill = async (client: Client): Promise<TestSocket[]> => {
    const sockets = await Promise.all(Array.from({ length: 6 }, () => socketOf(t, client)))
    for (const socket of sockets.slice(1)) t.match(await subscribe(socket, long), { ok: true })
    return sockets
  }
  const [other, full, closing] = (await fill(reader)) as [TestSocket, TestSocket, TestSocket]
  t.match(await subscribe(other, long), noRoom, 'of the access')
  t.same(await scopesOf(other), {}, 'it has registered nothing')
  t.match(await subscribe(full, long), { ok: true }, 'the same key again')
  const [own, ownFull] = (await fill(alice)) as [TestSocket, TestSocket]
  t.match(await subscribe(own, long), noRoom, 'of the account')
  closing.raw.close()
  await until(async () => (await subscribe(own, long)).ok === true, 'the room of the closed socket')
  t.match(await subscribe(other, long), noRoom)
  t.match(await ownFull.call('unsubscribe', { all: true }), { ok: true })
  t.match(await subscribe(other, long), { ok: true }, 'the room that another socket gave back')
})

t.test('scopes that end with their streams give their room back', async t => {
  const { alice } = await start(t)
  const reader = await alice.grant('read', 'diary')
  const sockets = await Promise.all(Array.from({ length: 6 }, () => socketOf(t, reader)))
  const [other, ...full] = sockets as [TestSocket, ...TestSocket[]]
  for (const socket of full)
    t.match(await subscribe(socket, { ...long, streams: { any: ['diary'] } }), { ok: true })
  t.match(await subscribe(other, long), noRoom)
  for (let n = 0; n < 2; n++) await alice.do('streams.delete', { id: 'diary', mergeEventsWithParent: false })
  for (const socket of full) t.same(await scopesOf(socket), {})
  t.match(await subscribe(other, long), { ok: true })
})

const create = (client: Client, n: number, query?: object): Promise<Answer> =>
  client.call('webhooks.create', { url: `http://127.0.0.1:9/${n}`, scopes: { k: query ? { query } : {} } })

t.test('scopes of all webhooks of an account are limited together, those of one access to half', async t => {
  const { alice } = await start(t, { webhooks: { allowInternalTargets: true } })
  const [first, second, third] = (await Promise.all(
    [1, 2, 3].map(() => alice.grant('read', 'diary', { type: 'app' }))
  )) as [Client, Client, Client]
  for (const client of [first, second]) {
    for (let n = 0; n < 5; n++) t.match(await create(client, n, long), { webhook: {} })
    t.match(await create(client, 5, long), noRoom, 'of the access')
  }
  t.match(await create(third, 0, long), noRoom, 'of the account')
  const { id } = (await create(third, 0)).webhook
  const give = { id, update: { scopes: { k: { query: long } } } }
  t.match(await third.call('webhooks.update', give), noRoom, 'nor by an update')
  const [{ id: fullId }] = (await first.do('webhooks.get')).webhooks
  const again = { id: fullId, update: { scopes: { k: { query: long } } } }
  t.match(await first.call('webhooks.update', again), { webhook: {} }, 'an update replaces its own')
  await first.do('webhooks.delete', { id: fullId })
  t.match(await third.call('webhooks.update', give), { webhook: {} })
})
