import t from 'tap'
import { assertTakesLessThan, Probe, stopwatch } from '../support/probe.js'
import { coffer, type Client, type Answer } from '../support/coffer.js'
import { inRotation } from '../support/rotation.js'
import { socketOf, until, type TestSocket } from '../support/socket.js'

t.setTimeout(900_000)

t.test('a change', async t => {
  const service = await coffer(t)
  const { alice } = service
  await alice.stream('diary')
  const sockets = [await socketOf(t, alice), await socketOf(t, alice), await socketOf(t, alice)]
  const bob = await service.user('bobby')
  const other = await socketOf(t, bob)
  const news = (): Promise<string[][]> => Promise.all(sockets.map(socket => socket.news()))
  const heard = (...messages: string[]): string[][] => sockets.map(() => messages)

  t.test('is sent once to every socket, including that of the caller', async t => {
    await sockets[0]!.call('streams.create', { id: 'a', name: 'a' })
    t.same(await news(), heard('streamsChanged'))
  })

  t.test('is sent however it was made', async t => {
    await alice.http('POST', '/streams', { id: 'b', name: 'b' })
    t.same(await news(), heard('streamsChanged'))
    await alice.do('accesses.create', { name: 'x', permissions: [{ streamId: 'a', level: 'read' }] })
    t.same(await news(), heard('accessesChanged'))
  })

  t.test('is sent once for each call of a batch', async t => {
    await sockets[1]!.call('callBatch', [
      { method: 'streams.create', params: { id: 'c', name: 'c' } },
      { method: 'streams.get', params: {} },
      { method: 'streams.create', params: { id: 'c', name: 'c' } },
      { method: 'streams.update', params: { id: 'c', update: { name: 'd' } } },
      { method: 'accesses.create', params: { name: 'y', permissions: [{ streamId: 'a', level: 'read' }] } }
    ])
    t.same(await news(), heard('accessesChanged', 'streamsChanged', 'streamsChanged'))
  })

  t.test('is sent once for each kind of object that a call changes', async t => {
    await alice.do('accesses.create', {
      name: 'z',
      permissions: [{ streamId: 'new', level: 'read', defaultName: 'New' }]
    })
    t.same(await news(), heard('accessesChanged', 'streamsChanged'))
  })

  t.test('is not sent when nothing changed, or the call failed', async t => {
    await alice.call('streams.get')
    await alice.call('streams.create', { id: 'a', name: 'a' })
    await alice.call('auth.login', { username: 'alice', password: 'wrong', appId: 'some-app' })
    t.same(await news(), heard())
  })

  t.test('is never sent to other users', async t => {
    t.same(await other.news(), [])
    await bob.stream('diary')
    t.same(await other.news(), ['streamsChanged'])
    t.same(await news(), heard())
  })
})

/** Subscribers, by their permissions. */
const listeners: Record<string, Parameters<Client['grantAll']>[0]> = {
  read: [{ streamId: 'diary', level: 'read' }],
  contribute: [{ streamId: 'diary', level: 'contribute' }],
  manage: [{ streamId: 'diary', level: 'manage' }],
  'create-only': [{ streamId: 'diary', level: 'create-only' }],
  child: [{ streamId: 'private', level: 'read' }],
  'all but the child': [
    { streamId: 'diary', level: 'read' },
    { streamId: 'private', level: 'none' }
  ],
  everything: [{ streamId: '*', level: 'read' }],
  'everything but diary': [
    { streamId: '*', level: 'read' },
    { streamId: 'diary', level: 'none' }
  ],
  work: [{ streamId: 'work', level: 'manage' }],
  nothing: [{ feature: 'selfRevoke', setting: 'forbidden' }]
}

const ofDiary = ['read', 'contribute', 'manage', 'create-only', 'all but the child', 'everything']
const ofChild = ['read', 'contribute', 'manage', 'create-only', 'child', 'everything']
const ofWork = ['everything', 'everything but diary', 'work']
const create = (id: string, parentId: string | null): [string, Answer] => [
  'streams.create',
  { id, name: id, parentId }
]
const update = (id: string, fields: object): [string, Answer] => ['streams.update', { id, update: fields }]
const event = (id: string, ...streamIds: string[]): [string, Answer] => [
  'events.create',
  { id: eventId(id), streamIds, type: 'note/txt', content: 'hello' }
]
const move = (id: string, ...streamIds: string[]): [string, Answer] => [
  'events.update',
  { id: eventId(id), update: { streamIds } }
]
const remove = (id: string): [string, Answer] => ['events.delete', { id: eventId(id) }]
const share = (...streamIds: string[]): [string, Answer] => [
  'accesses.create',
  { name: `on ${streamIds.join()}`, permissions: streamIds.map(streamId => ({ streamId, level: 'read' })) }
]

function eventId(name: string): string {
  return `c${name.padStart(24, '0')}`
}

/** Returns subscribers that are in one of the lists, in the order of the table. */
function named(...lists: string[][]): string[] {
  return Object.keys(listeners).filter(name => lists.some(list => list.includes(name)))
}

/** Changes in order, with the subscribers that are notified of each: `diary`, its child `private`, and `work` exist. */
const both = [...new Set([...ofDiary, ...ofWork])]
const matrix: [what: string, call: [string, Answer], message: string, hears: string[]][] = [
  ['a stream made in diary', create('d1', 'diary'), 'streamsChanged', ofDiary],
  ['a stream made in the child', create('p1', 'private'), 'streamsChanged', ofChild],
  ['a stream made in work', create('w1', 'work'), 'streamsChanged', ofWork],
  ['a root made', create('r1', null), 'streamsChanged', ['everything', 'everything but diary']],
  ['the child renamed', update('private', { name: 'p' }), 'streamsChanged', ofChild],
  ['diary renamed', update('diary', { name: 'd' }), 'streamsChanged', ofDiary],
  [
    'a move out of the child',
    update('p1', { parentId: 'work' }),
    'streamsChanged',
    [...ofChild, 'everything but diary', 'work']
  ],
  [
    'a move into diary',
    update('w1', { parentId: 'diary' }),
    'streamsChanged',
    [...ofDiary, 'everything but diary', 'work']
  ],
  [
    'diary trashed, with all below',
    update('diary', { trashed: true }),
    'streamsChanged',
    [...ofDiary, 'child']
  ],
  ['diary restored', update('diary', { trashed: false }), 'streamsChanged', [...ofDiary, 'child']],
  ['an event in diary', event('1', 'diary'), 'eventsChanged', ofDiary],
  ['an event in the child', event('2', 'private'), 'eventsChanged', ofChild],
  ['an event in work', event('3', 'work'), 'eventsChanged', ofWork],
  ['an event in diary and its child', event('4', 'diary', 'private'), 'eventsChanged', ofChild],
  [
    'an event in diary and in work',
    event('5', 'diary', 'work'),
    'eventsChanged',
    both.filter(name => name !== 'everything but diary')
  ],
  ['an event that moves from diary to work', move('1', 'work'), 'eventsChanged', both],
  ['one that is trashed', remove('2'), 'eventsChanged', ofChild],
  ['one that is deleted', remove('2'), 'eventsChanged', ofChild],
  ['an access on diary', share('diary'), 'accessesChanged', ofDiary],
  ['an access on the child', share('private'), 'accessesChanged', ofChild],
  ['an access on work', share('work'), 'accessesChanged', ofWork],
  ['an access on all', share('*'), 'accessesChanged', ['everything', 'everything but diary']]
]

t.test('changes are sent to accesses whose permissions cover them', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  await alice.stream('private', 'diary')
  await alice.stream('work')
  const sockets = new Map<string, TestSocket>()
  for (const [name, permissions] of Object.entries(listeners))
    sockets.set(name, await socketOf(t, await alice.grantAll(permissions, { name })))
  // It joins last, so it is notified last.
  const personal = await socketOf(t, alice)
  sockets.set('personal', personal)
  for (const socket of sockets.values()) await socket.news()
  for (const [what, [method, params], message, hears] of matrix) {
    await alice.do(method, params)
    await until(() => personal.heard.length > 0, what)
    const heard: string[] = []
    for (const [name, socket] of sockets) {
      const news = await socket.news()
      if (news.length > 0) heard.push(name)
      t.same(news, news.length > 0 ? [message] : [], `${what}: ${name} hears of nothing else, nor twice`)
    }
    t.same(heard.toSorted(), ['personal', ...new Set(hears)].toSorted(), what)
  }
})

t.test('deleting streams notifies accesses that could see them or their events', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  for (const id of ['private', 'plain']) await alice.stream(id, 'diary')
  await alice.stream('deep', 'private')
  await alice.stream('work')
  await alice.event({ streamIds: ['deep'] })
  await alice.event({ streamIds: ['plain', 'work'] })
  const sockets = new Map<string, TestSocket>()
  for (const [name, permissions] of Object.entries(listeners))
    sockets.set(name, await socketOf(t, await alice.grantAll(permissions, { name })))
  // It joins last, so it is notified last.
  const personal = await socketOf(t, alice)
  for (const socket of [...sockets.values(), personal]) await socket.news()
  const heardOf = async (params: object, kinds = 1): Promise<Record<string, string[]>> => {
    await alice.do('streams.delete', params)
    await until(() => personal.heard.length >= kinds, 'the news')
    await personal.news()
    const heard: Record<string, string[]> = {}
    for (const [name, socket] of sockets)
      for (const message of await socket.news()) (heard[message] ??= []).push(name)
    return heard
  }
  t.same(await heardOf({ id: 'private' }), { streamsChanged: named(ofChild) }, 'into the trash')
  t.same(
    await heardOf({ id: 'private', mergeEventsWithParent: true }, 3),
    {
      streamsChanged: named(ofChild),
      eventsChanged: named(ofChild, ofDiary),
      // The permissions on it have ended.
      accessesChanged: named(ofChild)
    },
    'for good, events moved up'
  )
  t.same(await heardOf({ id: 'plain' }), { streamsChanged: named(ofDiary) })
  t.same(
    await heardOf({ id: 'plain', mergeEventsWithParent: false }, 2),
    {
      streamsChanged: named(ofDiary),
      // Accesses without permission on diary could not see it, and now can.
      eventsChanged: named(ofDiary, ofWork)
    },
    'for good, events kept elsewhere'
  )
  t.same(await heardOf({ id: 'diary' }), { streamsChanged: named(ofDiary) })
  t.same(
    await heardOf({ id: 'diary', mergeEventsWithParent: false }, 3),
    {
      streamsChanged: named(ofDiary),
      eventsChanged: named(ofDiary),
      // One of the changed accesses has permissions on the child as well, which was deleted before.
      accessesChanged: named(ofDiary, ['child', 'everything but diary'])
    },
    'for good, with the events'
  )
})

t.test('a socket whose access ends', async t => {
  const { alice, clock } = await coffer(t)
  await alice.stream('diary')

  t.test('is closed when the access is deleted, after the response to its deletion', async t => {
    const shared = await alice.grant('read', 'diary')
    const socket = await socketOf(t, shared)
    const another = await socketOf(t, shared)
    t.match(await socket.call('accesses.delete', { id: shared.access.id }), {
      accessDeletion: { id: shared.access.id }
    })
    await Promise.all([socket.closed(), another.closed()])
  })

  t.test('is closed with the app that created it', async t => {
    const app = await alice.grant('manage', 'diary', { type: 'app' })
    const socket = await socketOf(t, await app.grant('read', 'diary'))
    const stays = await socketOf(t, await alice.grant('read', 'diary'))
    await alice.do('accesses.delete', { id: app.access.id })
    await socket.closed()
    t.match(await stays.call('streams.get'), { streams: Array })
  })

  t.test('is closed when the access expires', async t => {
    const socket = await socketOf(t, await alice.grant('read', 'diary', { expireAfter: 10 }))
    clock.advance(9)
    t.match(await socket.call('streams.get'), { streams: Array })
    clock.advance(1)
    await socket.closed()
  })

  t.test('is closed when the session expires, but not while it is used', async t => {
    const socket = await socketOf(t, alice)
    clock.advance(1_209_000)
    t.match(await socket.call('streams.get'), { streams: Array })
    clock.advance(1_209_000)
    t.match(await socket.call('streams.get'), { streams: Array })
    clock.advance(1_209_601)
    await socket.closed()
  })
})

t.test('a socket is closed when its user signs out', async t => {
  const { alice } = await coffer(t)
  const socket = await socketOf(t, alice)
  await alice.do('auth.logout')
  await socket.closed()
  await t.rejects(socketOf(t, alice), { message: /session has ended/ })
})

t.test('scoped subscriptions', async t => {
  const { alice } = await coffer(t)
  for (const id of ['diary', 'work']) await alice.stream(id)
  await alice.stream('private', 'diary')
  const reader = await alice.grantAll([
    { streamId: 'diary', level: 'read' },
    { streamId: 'private', level: 'none' }
  ])

  t.test('notify of changes within their scope only, by their keys', async t => {
    const socket = await socketOf(t, alice)
    t.match(await socket.call('subscribe', { key: 'one', kind: 'streams', query: { streams: ['diary'] } }), {
      ok: true,
      keys: ['one'],
      meta: {}
    })
    t.match(
      await socket.call('subscribe', {
        scopes: { two: { kind: 'streams' }, three: { kind: 'accesses' }, four: { kind: 'events' } }
      }),
      { ok: true, keys: ['one', 'two', 'three', 'four'] }
    )
    await alice.stream('d', 'private')
    t.same(await socket.news(), ['notificationsChanged'])
    await alice.stream('w', 'work')
    await alice.grant('read', 'work')
    t.same(await socket.news(), ['notificationsChanged', 'notificationsChanged'])
    t.same(socket.payloads, [{ keys: ['one', 'two'] }, { keys: ['two'] }, { keys: ['three'] }])
    t.match(await socket.call('unsubscribe', { key: 'two' }), {
      ok: true,
      keys: ['one', 'three', 'four']
    })
    t.match(await socket.call('unsubscribe', { keys: ['four', 'unknown'] }), {
      keys: ['one', 'three']
    })
    const { scopes } = await socket.call('getSubscriptions')
    t.same(scopes, { one: { kind: 'streams', query: { streams: ['diary'] } }, three: { kind: 'accesses' } })
    t.match(await socket.call('unsubscribe', { all: true }), { ok: true, keys: [] })
    await alice.stream('x')
    t.same(await socket.news(), ['streamsChanged'], 'without any, the messages of the API are back')
  })

  t.test('require permission, and grant none', async t => {
    const socket = await socketOf(t, reader)
    const subscribe = (...streams: string[]): Promise<Answer> =>
      socket.call('subscribe', { key: 'k', kind: 'streams', query: { streams } })
    t.match(await subscribe('work'), { error: { id: 'forbidden' } })
    t.match(await subscribe('diary', 'private'), { error: { id: 'forbidden' } })
    t.match(await subscribe('unknown'), { error: { id: 'unknown-referenced-resource' } })
    t.match(await socket.call('getSubscriptions'), { scopes: {} }, 'a refusal leaves nothing behind')
    t.match(await subscribe('*', 'diary'), { ok: true })
    await alice.stream('s1', 'work')
    await alice.stream('s2', 'private')
    await alice.stream('s3', 'diary')
    t.same(await socket.news(), ['notificationsChanged'])
  })

  t.test('reveal no hidden changes within their scope', async t => {
    await alice.stream('walks', 'diary')
    await alice.stream('runs', 'diary')
    const socket = await socketOf(t, reader)
    const scopes = ['walks', 'runs'].map(id => [id, { kind: 'events', query: { streams: [id] } }])
    await socket.call('subscribe', { scopes: Object.fromEntries(scopes) })
    const open = await alice.event({ streamIds: ['walks'] })
    t.same(await socket.news(), ['notificationsChanged'])
    await alice.do('events.update', { id: open.id, update: { streamIds: ['runs', 'private'] } })
    t.same(await socket.news(), ['notificationsChanged'])
    t.same(socket.payloads, [{ keys: ['walks'] }, { keys: ['walks'] }])
  })

  t.test('are refused when malformed or too many', async t => {
    const socket = await socketOf(t, alice)
    const bad = { error: { id: 'invalid-parameters-format' }, meta: {} }
    for (const params of [
      {},
      null,
      [],
      { key: 'x', query: 1 },
      { key: 'x', kind: 'account' },
      { key: '', kind: 'events' },
      { key: 'x', kind: 'events', query: { streams: [] } },
      { key: 'x', kind: 'events', query: { other: 1 } },
      { scopes: { x: { kind: 'events', more: 1 } } },
      { scopes: [] }
    ])
      t.match(await socket.call('subscribe', params), bad, JSON.stringify(params))
    t.match(await socket.call('unsubscribe', { key: 1 }), bad)
    t.match(await socket.call('getSubscriptions', { x: 1 }), bad)
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`k${n}`, { kind: 'events' }]))
    t.match(await socket.call('subscribe', { scopes: many }), { error: { id: 'invalid-operation' } })
    const half = { kind: 'events', query: { streams: Array(501).fill('diary') } }
    const scopes = { half, other: half }
    t.match(await socket.call('subscribe', { scopes }), { error: { id: 'invalid-operation' } })
    const odd = JSON.parse('{"scopes":{"__proto__":{"kind":"streams"}}}')
    t.match(await socket.call('subscribe', odd), { keys: ['__proto__'] })
    await alice.stream('odd')
    await until(() => socket.heard.length > 0, 'no message')
    t.same(socket.payloads.at(-1), JSON.parse('{"keys":["__proto__"]}'))
  })
})

const test = inRotation(t, 2)
test('a change in thousands of streams quickly reaches many subscribers, whatever their scopes', async t => {
  const { alice } = await coffer(t)
  await alice.stream('top')
  const ids = Array.from({ length: 3900 }, (_, n) => `s${n}`)
  await alice.do(
    'callBatch',
    ids.map(id => ({ method: 'streams.create', params: { id, name: id, parentId: 'top' } }))
  )
  const scopes = Object.fromEntries(
    ['heard', 'unheard'].map((key, part) => [
      key,
      { kind: 'events', query: { streams: ids.slice(part * 50, part * 850 + 50) } }
    ])
  )
  // All accesses are created first: open sockets would be notified of the others.
  const readers = await Promise.all(Array.from({ length: 30 }, () => alice.grant('read', '*')))
  const sockets = await Promise.all(readers.map(reader => socketOf(t, reader)))
  for (const socket of sockets) await socket.call('subscribe', { scopes })
  const telling = async (): Promise<number> => {
    const elapsed = stopwatch()
    await alice.event({ streamIds: [...ids.slice(900), 's7'] })
    await until(() => sockets.every(({ heard }) => heard.length === 1), 'the news')
    return elapsed()
  }
  await assertTakesLessThan(t, 1000, telling, 1)
  for (const { payloads } of sockets) t.same(payloads, [{ keys: ['heard'] }])
  // Changes that take longer than a turn are delivered in order.
  await alice.event({ streamIds: ids.slice(900) })
  await alice.event({ streamIds: ['s60'] })
  await until(() => sockets.every(({ heard }) => heard.length === 2), 'more news')
  for (const { payloads } of sockets) t.same(payloads.at(-1), { keys: ['unheard'] })
})

test('many changes in thousands of streams each do not block other users', async t => {
  const service = await coffer(t)
  const { alice } = service
  const bob = await service.user('bobby')
  const ids = Array.from({ length: 3000 }, (_, n) => `s${n}`)
  await alice.do(
    'callBatch',
    ids.map(id => ({ method: 'streams.create', params: { id, name: id } }))
  )
  const heard = await socketOf(t, await alice.grant('read', 's7'))
  const others = await Promise.all(
    Array.from({ length: 75 }, async (_, n) => await socketOf(t, await alice.grant('read', `s${2999 - n}`)))
  )
  const event = { streamIds: ids.slice(0, 2500), type: 'note/txt', content: 'x' }
  // Together they take twice the limit.
  const changes = 20
  await assertTakesLessThan(t, 150, async () => {
    const before = heard.heard.length
    const created: string[] = []
    for (let n = 0; n < changes; n++) created.push((await alice.do('events.create', event)).event.id)
    await until(() => heard.heard.length === before + changes, 'the news')
    const { slowestMs } = await new Probe(bob).during(async () => {
      await Promise.all(created.map(id => alice.do('events.delete', { id })))
      // Later changes wait until earlier ones have been delivered.
      await alice.event({ streamIds: ['s7'] })
    })
    await until(() => heard.heard.length === before + 2 * changes + 1, 'more news')
    return slowestMs
  })
  for (const { heard: news } of others) t.same(news, [])
})
