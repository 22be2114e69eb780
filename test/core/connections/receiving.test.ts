import t from 'tap'
import { coffer, openCoffer, textsOf, type Answer, type Client } from '../../support/coffer.js'
import { broughtIn } from '../../support/importing.js'
import { assertTakesLessThan, longestTurn } from '../../support/probe.js'
import { connect, events, look, points, send } from '../../transports/receive/connecting.js'
import { inRotation } from '../../support/rotation.js'

/** 2026-11-26T12:00:00Z */
const noon = 1_795_694_400
const location = { _type: 'location', lat: 46.5, lon: 6.6, tst: noon, acc: 12, tid: 'DA' }
const waypoint = { _type: 'waypoint', lat: 46.5, lon: 6.6, tst: noon, rad: 100, desc: 'home', tid: 'DA' }
const isoNoon = '2026-11-26T12:00:00Z'

const visit = (departure: string): object => ({
  locations: [
    {
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [6.6, 46.5] },
      properties: { action: 'visit', arrival_date: isoNoon, departure_date: departure }
    }
  ]
})

async function versions(user: Client, id: string): Promise<Answer[]> {
  return (await user.do('events.getOne', { id, includeHistory: true })).history
}

t.test('connections with much that is not understood do not block other calls', async t => {
  const { alice, server } = await openCoffer(t)
  await connect(alice, 'owntracks')
  const store = server.services.accounts.openStore(server.services.accounts.find('alice')!)
  const { connections } = store.connections.listAfter()
  const notUnderstood = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`kind-${n}`, 1]))
  await store.write(() => {
    for (let n = 0; n < 50; n++) {
      const connection = { ...connections[0]!.connection, id: `a${n}`, accessId: `a${n}` }
      store.connections.insert({ connection, arrivals: { ...connections[0]!.arrivals, notUnderstood } })
    }
  })
  const list = async (): Promise<void> => {
    const outcome = await server.registry.call({
      user: 'alice',
      method: 'connections.get',
      params: {},
      credentials: { ip: '127.0.0.1', via: 'http', authorization: alice.token }
    })
    // Parsing all of it would take longer.
    for await (const _ of textsOf(outcome));
  }
  await assertTakesLessThan(t, 60, async () => await longestTurn(list))
  const { connections: listed } = await alice.do('connections.get')
  t.same(
    listed.map(({ id }: Answer) => id),
    [
      connections[0]!.connection.id,
      ...Array.from({ length: 50 }, (_, n) => `a${n}`)
        .toSorted()
        .toReversed()
    ],
    'the newest first'
  )
})

t.test('an item that has changed becomes a new version, once', async t => {
  const { alice } = await coffer(t, { versioning: { forceKeepHistory: true } })
  const connection = await connect(alice, 'owntracks')
  await send(alice, 'owntracks', connection, waypoint)
  await send(alice, 'owntracks', connection, waypoint)
  const changed = { ...waypoint, desc: 'our home', rad: 50 }
  await Promise.all([1, 2, 3].map(() => send(alice, 'owntracks', connection, changed)))
  const [event, ...others] = await events(alice)
  t.same(others, [])
  t.match(event, {
    description: 'our home',
    createdBy: connection.accessId,
    modifiedBy: connection.accessId,
    clientData: { 'owntracks:radius': 50 }
  })
  t.equal((await versions(alice, event.id)).length, 1)
})

t.test('an item whose duration grows stays one event', async t => {
  const { alice } = await coffer(t, { versioning: { forceKeepHistory: true } })
  const connection = await connect(alice, 'overland')
  await send(alice, 'overland', connection, visit('4001-01-01T00:00:00Z'))
  await send(alice, 'overland', connection, visit('2026-11-26T12:30:00Z'))
  await send(alice, 'overland', connection, visit('2026-11-26T13:00:00Z'))
  await send(alice, 'overland', connection, visit('2026-11-26T13:00:00Z'))
  const [event, ...others] = await events(alice)
  t.same(others, [])
  t.match(event, { time: noon, duration: 3600 })
  t.equal((await versions(alice, event.id)).length, 2)
})

t.test('what the user has edited, trashed or deleted stays so', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'owntracks')
  for (const tst of [1, 2, 3]) await send(alice, 'owntracks', connection, { ...waypoint, tst: noon + tst })
  const [edited, trashed, deleted] = await events(alice)
  await alice.do('events.update', { id: edited.id, update: { description: 'mine' } })
  await alice.do('events.delete', { id: trashed.id })
  await alice.do('events.delete', { id: deleted.id })
  await alice.do('events.delete', { id: deleted.id })
  for (const desc of ['home', 'another name'])
    for (const tst of [1, 2, 3])
      t.equal(
        (await send(alice, 'owntracks', connection, { ...waypoint, desc, tst: noon + tst })).status,
        200
      )
  t.same(
    (await events(alice)).map(({ description, id }) => [id, description]),
    [[edited.id, 'mine']]
  )
  const { event } = await alice.do('events.getOne', { id: trashed.id })
  t.match(event, { trashed: true, description: 'home' })
})

t.test('a deleted or trashed stream is made again for what arrives later', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'owntracks')
  await send(alice, 'owntracks', connection, location)
  await send(alice, 'owntracks', connection, waypoint)
  await alice.do('streams.delete', { id: connection.streamId })
  await send(alice, 'owntracks', connection, { ...location, tst: noon + 1 })
  t.equal((await points(alice)).length, 2, 'restored from the trash')
  for (const _ of [1, 2])
    await alice.do('streams.delete', { id: connection.streamId, mergeEventsWithParent: false })
  t.same(await points(alice), [])
  t.equal((await send(alice, 'owntracks', connection, { ...location, tst: noon + 2 })).status, 200)
  t.equal((await send(alice, 'owntracks', connection, { ...waypoint, tst: noon + 2 })).status, 200)
  t.same(
    (await points(alice)).map(([path, time]: Answer) => [path, time]),
    [['OwnTracks/Positions/DA', noon + 2]]
  )
  t.equal((await events(alice)).length, 1)
  const own = await alice.service.call(
    'alice',
    'events.create',
    { streamIds: [connection.streamId], type: 'note/txt', content: 'x' },
    connection.token
  )
  t.notOk(own.error, 'the permission was granted again')
})

t.test('a series that the user has deleted does not come back', async t => {
  const { alice } = await coffer(t)
  const now = alice.service.clock.now()
  const before = { ...location, tst: now - 100 }
  const connection = await connect(alice, 'owntracks')
  await send(alice, 'owntracks', connection, before)
  const { events: holders } = await alice.do('events.get', { fromTime: 0, toTime: 1e10 })
  for (const _ of [1, 2]) await alice.do('events.delete', { id: holders[0].id })
  for (const _ of [1, 2]) {
    await send(alice, 'owntracks', connection, before)
    await send(alice, 'owntracks', connection, { ...location, tst: now + 200 })
  }
  t.same(
    (await points(alice)).map(([, time]: Answer) => time),
    [now + 200]
  )
})

const test = inRotation(t, 2)

test('two devices at one second are two points, also from two connections', async t => {
  const { alice } = await coffer(t)
  const phone = await connect(alice, 'osmand')
  const tablet = await connect(alice, 'osmand', { name: 'tablet' })
  const body = JSON.stringify({
    location: { timestamp: isoNoon, coords: { latitude: 46.5, longitude: 6.6 } }
  })
  const other = JSON.stringify({
    location: { timestamp: isoNoon, coords: { latitude: 46.6, longitude: 6.7 } }
  })
  for (const _ of [1, 2]) {
    await send(alice, 'osmand', phone, body)
    await send(alice, 'osmand', phone, other)
    await send(alice, 'osmand', tablet, body)
  }
  t.same(
    (await points(alice)).map(([path]: Answer) => path),
    ['OsmAnd/Positions/phone', 'OsmAnd/Positions/phone', 'OsmAnd/Positions/tablet']
  )
})

test('a new connection of the same name adds nothing that is known', async t => {
  const { alice } = await coffer(t)
  const body = JSON.stringify({
    location: { timestamp: isoNoon, coords: { latitude: 46.5, longitude: 6.6 } }
  })
  const first = await connect(alice, 'osmand')
  await send(alice, 'osmand', first, body)
  await alice.do('connections.delete', { id: first.id })
  const second = await connect(alice, 'osmand')
  await send(alice, 'osmand', second, body)
  t.equal((await points(alice)).length, 1)
  t.equal((await look(alice, second)).received, 1)
})

t.test('a value that arrives and is in a file is stored once, in both orders', async t => {
  const { alice } = await coffer(t)
  const service = alice.service
  const bobby = await service.user('bobby')
  const messages = Array.from({ length: 120 }, (_, at) => ({
    ...location,
    tst: noon + at * 60,
    lat: 46.5 + at / 1000,
    alt: 400 + (at % 3),
    vel: at % 90,
    p: 96 + (at % 7) / 10
  }))
  const file = JSON.stringify(messages)
  for (const [user, isFileFirst] of [
    [alice, true],
    [bobby, false]
  ] as const) {
    const connection = await connect(user, 'owntracks')
    if (isFileFirst) await broughtIn(user, 'owntracks.json', file)
    for (const message of messages.slice(20)) await send(user, 'owntracks', connection, message)
    await send(user, 'owntracks', connection, JSON.stringify(messages))
    const { tally } = await broughtIn(user, 'owntracks2.json', file)
    t.same(tally.broughtIn, {})
    const found = await points(user)
    t.equal(found.length, 2 * messages.length)
    t.same(
      found
        .filter(([path]: Answer) => path === 'OwnTracks/Positions/DA')
        .map(([, time, { latitude }]: Answer) => [time, latitude]),
      messages.map(({ lat, tst }) => [tst, lat])
    )
  }
  t.same(await points(alice), await points(bobby))
})

test('good items are stored although others are not', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'owntracks')
  const batch = [
    location,
    { ...location, lat: 99 },
    { ...location, tst: 1e300 },
    { ...location, tst: -1e11 },
    { ...location, lat: 'x' },
    { _type: 'status' },
    { _type: '__proto__' },
    {},
    { ...waypoint, desc: 'x'.repeat(300_000) },
    { ...location, tst: noon + 1, batt: 'much' }
  ]
  const { status } = await send(alice, 'owntracks', connection, JSON.stringify(batch))
  t.equal(status, 200)
  t.equal((await points(alice)).length, 2)
  const told = await look(alice, connection)
  t.equal(told.received, batch.length)
  t.same(Object.entries(told.notUnderstood).toSorted(), [
    ['__proto__', 1],
    ['location', 4],
    ['message', 1],
    ['status', 1],
    ['waypoint', 1]
  ])
})

test('what is counted has a limit', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'owntracks')
  for (let round = 0; round < 3; round++) {
    const batch = Array.from({ length: 2000 }, (_, at) => ({ _type: `${round} ${at} ${'x'.repeat(150)}` }))
    await send(alice, 'owntracks', connection, JSON.stringify(batch))
  }
  const { notUnderstood } = await look(alice, connection)
  t.ok(JSON.stringify(notUnderstood).length < 200_000)
  const sum = Object.values<number>(notUnderstood).reduce((all, count) => all + count, 0)
  t.equal(sum, 6000)
})

t.test('streams of received data have the mark of their measure', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'owntracks')
  await send(alice, 'owntracks', connection, location)
  const { measures } = await alice.do('measures.get')
  t.ok(measures.some(({ id }: Answer) => id === 'position'))
})

t.test('a connection moves with its parent, and sends on when it is deleted', async t => {
  const { alice } = await coffer(t)
  await alice.stream('phones')
  const connection = await connect(alice, 'owntracks', { parentId: 'phones' })
  await send(alice, 'owntracks', connection, location)
  t.match(await points(alice), [['phones/OwnTracks/Positions/DA', noon]])
  for (const _ of [1, 2]) await alice.do('streams.delete', { id: 'phones', mergeEventsWithParent: false })
  t.equal((await send(alice, 'owntracks', connection, { ...location, tst: noon + 1 })).status, 200)
  t.match(await points(alice), [['OwnTracks/Positions/DA', noon + 1]])
})

t.test('points that the user has removed or written stay so', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'owntracks')
  const sendAll = async (): Promise<void> => {
    for (let at = 0; at < 10; at++)
      t.equal((await send(alice, 'owntracks', connection, { ...location, tst: noon + at })).status, 200)
  }
  await sendAll()
  const { events: holders } = await alice.do('events.get', { fromTime: 0, toTime: 1e10 })
  const [{ id, time }] = holders
  const start = noon - time
  await alice.do('hfs.deletePoints', { id, fromDeltaTime: start + 2, toDeltaTime: start + 4.5 })
  await alice.do('hfs.add', {
    id,
    format: 'flatJSON',
    fields: ['deltaTime', 'latitude', 'longitude'],
    points: [[start + 7, 1, 2]]
  })
  const before = await points(alice)
  t.equal(before.length, 7)
  await sendAll()
  t.same(await points(alice), before)
  await alice.do('hfs.deletePoints', { id, fromDeltaTime: 0, toDeltaTime: 1e9 })
  await sendAll()
  t.same(await points(alice), [])
  await send(alice, 'owntracks', connection, { ...location, tst: noon + 10 })
  t.equal((await points(alice)).length, 1, 'what arrives later is stored')
})

test('data that would need too many streams is refused as a whole', async t => {
  const { alice } = await coffer(t, { limits: { streamsBytes: 2000 } })
  const connection = await connect(alice, 'owntracks')
  const messages = Array.from({ length: 100 }, (_, at) => ({ ...waypoint, tid: `device ${at}` }))
  const { body, status } = await send(alice, 'owntracks', connection, JSON.stringify(messages))
  t.match({ status, id: body.error?.id }, { status: 402, id: 'user-intervention-required' })
  t.same(await events(alice), [])
  t.equal((await send(alice, 'owntracks', connection, waypoint)).status, 200)
  const many = Array.from({ length: 2001 }, (_, at) => ({ ...waypoint, tid: `device ${at}` }))
  t.equal((await send(alice, 'owntracks', connection, JSON.stringify(many))).status, 400)
})
