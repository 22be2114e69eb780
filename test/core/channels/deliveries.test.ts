/** Delivery of messages: retries, limits, idempotency, and what ends it. */
import t from 'tap'
import { getTargetKey } from '../../../core/channels/requests.js'
import { receiver } from '../../support/receiver.js'
import { until } from '../../support/socket.js'
import { addChannel, queue, reaches, startWorld } from './world.js'

t.test('retries', async t => {
  const { alice, clock } = await startWorld(t)
  const server = await receiver(t)
  const channel = await addChannel(alice, 'webhook', { url: server.url })
  server.answer = 503
  const start = clock.now()
  await queue(alice, { key: 'a', channelIds: [channel.id], urgency: 'high' })
  let attempts = 0
  const times: number[] = []
  for (;;) {
    await reaches(alice, channel.id, attempts === 6 ? 'failed' : 'waiting', ++attempts)
    const [{ nextAttempt }] = (await alice.do('channels.getOne', { id: channel.id })).deliveries
    if (nextAttempt === undefined) break
    times.push(Math.round(nextAttempt - start))
    clock.advance(nextAttempt - clock.now())
  }
  t.same(times, [1, 6, 36, 156, 756, 2556], 'until the message is an hour old')
  t.equal(attempts, 7)
  t.equal(new Set(server.deliveries.map(({ headers }) => headers['coffer-message-id'])).size, 1)

  server.answer = response => response.writeHead(429, { 'retry-after': '700' }).end()
  await queue(alice, { key: 'b', channelIds: [channel.id] })
  const [waiting] = await reaches(alice, channel.id, 'waiting', 1)
  t.match(waiting, { error: { id: 'refused', status: 429 } })
  t.equal(Math.round(waiting.nextAttempt - clock.now()), 700, 'as the receiver asks')
  server.answer = 200
  clock.advance(701)
  await reaches(alice, channel.id, 'delivered', 2)

  server.answer = 400
  await queue(alice, { key: 'c', channelIds: [channel.id] })
  await reaches(alice, channel.id, 'failed', 1)
  t.equal(server.deliveries.length, 10, 'a refusal is final')
})

t.test('a clock that was ahead', async t => {
  const { alice, clock } = await startWorld(t, { auth: { sessionMaxAge: 1e9 }, channels: { maxPerHour: 1 } })
  const server = await receiver(t)
  const [failing, channel] = [
    await addChannel(alice, 'webhook', { url: `${server.url}/1` }),
    await addChannel(alice, 'webhook', { url: `${server.url}/2` })
  ]
  clock.advance(1e8)
  await queue(alice, { key: 'a', channelIds: [channel.id] })
  await reaches(alice, channel.id, 'delivered')
  server.answer = 503
  await queue(alice, { key: 'b', channelIds: [failing.id], urgency: 'high' })
  await reaches(alice, failing.id, 'waiting', 1)
  clock.advance(-1e8)
  for (let attempts = 2; attempts <= 6; attempts++) {
    const [{ nextAttempt }] = await reaches(alice, failing.id, 'waiting', attempts)
    clock.advance(nextAttempt - clock.now())
  }
  await reaches(alice, failing.id, 'failed', 7)
  server.answer = 200
  await queue(alice, { key: 'c', channelIds: [channel.id] })
  await reaches(alice, channel.id, 'delivered')
  await queue(alice, { key: 'd', channelIds: [channel.id] })
  await until(async () => {
    const { deliveries } = await alice.do('channels.getOne', { id: channel.id })
    return deliveries.some(({ state }: { state: string }) => state === 'held')
  }, 'the limit')
})

t.test('a key is sent once', async t => {
  const { alice } = await startWorld(t)
  const server = await receiver(t)
  const [one, two] = [
    await addChannel(alice, 'webhook', { url: `${server.url}/1` }),
    await addChannel(alice, 'webhook', { url: `${server.url}/2` })
  ]
  t.equal(await queue(alice, { key: 'a', channelIds: [one.id, one.id] }), 1)
  t.equal(await queue(alice, { key: 'a', channelIds: [one.id, two.id] }), 0)
  await reaches(alice, one.id, 'delivered')
  t.equal(await queue(alice, { key: 'a', channelIds: [one.id] }), 0, 'not even later')
  t.equal(server.deliveries.length, 1)
})

t.test('the hourly limit', async t => {
  const { alice, clock } = await startWorld(t, { channels: { maxPerHour: 3 } })
  const server = await receiver(t)
  const [channel, other] = [
    await addChannel(alice, 'webhook', { url: `${server.url}/1` }),
    await addChannel(alice, 'webhook', { url: `${server.url}/2` })
  ]
  for (let index = 0; index < 8; index++) await queue(alice, { key: `m${index}`, channelIds: [channel.id] })
  const states = async (): Promise<string[]> =>
    (await alice.do('channels.getOne', { id: channel.id })).deliveries.map(
      ({ state }: { state: string }) => state
    )
  await until(async () => (await states()).filter(state => state === 'held').length === 5, '5 held messages')
  await until(async () => (await states()).filter(state => state === 'delivered').length === 3, '3 messages')
  await queue(alice, { key: 'other', channelIds: [other.id] })
  await reaches(alice, other.id, 'delivered')
  clock.advance(3601)
  await until(() => server.deliveries.length === 5, 'the summary')
  t.match(server.deliveries[4]!.body, {
    title: '5 more notifications',
    text: 'This channel gets at most 3 notifications per hour.',
    source: { kind: 'summary' }
  })
  await queue(alice, { key: 'later', channelIds: [channel.id] })
  await until(() => server.deliveries.length === 6, 'the next hour')
})

t.test('the hourly limit holds for a target, whatever channel leads there', async t => {
  const { alice, clock, server: service } = await startWorld(t, { channels: { maxPerHour: 2 } })
  const server = await receiver(t)
  const add = async (): Promise<string> =>
    (await addChannel(alice, 'webhook', { url: `${server.url}/1?salt=${Math.random()}` })).id
  const first = await add()
  await queue(alice, { key: 'one', channelIds: [first] })
  await queue(alice, { key: 'two', channelIds: [first] })
  await until(() => server.deliveries.length === 2, 'two messages')
  await reaches(alice, first, 'delivered')
  const isHeld = async (id: string): Promise<void> =>
    await until(
      async () =>
        (await alice.do('channels.getOne', { id })).deliveries.some(
          ({ state }: { state: string }) => state === 'held'
        ),
      'a message that is held'
    )
  const second = await add()
  await queue(alice, { key: 'three', channelIds: [second] })
  await isHeld(second)
  await alice.do('channels.delete', { id: first })
  const third = await add()
  await queue(alice, { key: 'four', channelIds: [third] })
  await isHeld(third)
  t.equal(server.deliveries.length, 2)
  clock.advance(3601)
  await until(() => server.deliveries.length === 4, 'a summary for each channel')
  // They are counted once they are answered.
  for (const id of [second, third]) await reaches(alice, id, 'delivered')

  // Nor if the channel is removed while a message is on its way.
  clock.advance(3601)
  const { accounts } = service.services
  const { channels, messages } = accounts.openStore(accounts.find('alice')!)
  const target = getTargetKey(channels.find(third)!)
  for (const [index, key] of ['five', 'six'].entries()) {
    const brief = await add()
    let finish: (() => void) | undefined
    server.answer = response => void (finish = () => response.writeHead(200).end())
    await queue(alice, { key, channelIds: [brief] })
    await until(() => finish !== undefined, 'a call')
    await alice.do('channels.delete', { id: brief })
    finish?.()
    await until(() => messages.listUses(target, clock.now() - 60).length === index + 1, 'it is counted')
  }
  const last = await add()
  await queue(alice, { key: 'seven', channelIds: [last] })
  await isHeld(last)
})

t.test('internal addresses', async t => {
  const { alice } = await startWorld(t, { channels: { allowInternalTargets: false } })
  const server = await receiver(t)
  for (const [type, target] of [
    ['webhook', { url: server.url }],
    ['ntfy', { url: 'http://localhost:1', topic: 'x' }],
    ['gotify', { url: 'http://[::1]:1', token: 'x' }],
    ['apprise', { url: 'http://169.254.169.254', key: 'x' }]
  ] as const) {
    const { id } = await addChannel(alice, type, target)
    await alice.do('channels.test', { id })
    t.match(await reaches(alice, id, 'failed'), [{ error: { id: 'internal-address' }, attempts: 1 }], type)
  }
  t.equal(server.deliveries.length, 0)
})

t.test('many messages of one transaction', async t => {
  const { alice } = await startWorld(t, { channels: { maxPerHour: 1000 } })
  const server = await receiver(t)
  const { id } = await addChannel(alice, 'webhook', { url: server.url })
  const calls = Array.from({ length: 120 }, () => ({ method: 'channels.test', params: { id } }))
  await alice.http('POST', '/', calls)
  await until(() => server.deliveries.length >= 120, 'all messages')
  await reaches(alice, id, 'delivered')
  t.equal(server.deliveries.length, 120)
})

t.test('the channels of an access end with it', async t => {
  const { alice, clock } = await startWorld(t)
  const server = await receiver(t)
  server.answer = 503
  await alice.stream('diary')
  const app = await alice.grant('read', 'diary', { type: 'app' })
  const other = await alice.grant('read', 'diary', { type: 'app' })
  const { id } = await addChannel(app, 'webhook', { url: server.url })
  const own = await addChannel(alice, 'webhook', { url: server.url })
  t.match((await app.do('channels.get')).channels, [{ id }], 'apps see their own')
  t.equal((await app.do('channels.get')).channels.length, 1)
  t.equal((await alice.do('channels.get')).channels.length, 2, 'users see all')
  for (const method of ['getOne', 'delete', 'test'])
    t.match(await other.call(`channels.${method}`, { id }), { error: { id: 'forbidden' } }, method)
  await queue(alice, { key: 'a', channelIds: [id, own.id] })
  await reaches(alice, id, 'waiting', 1)
  await reaches(alice, own.id, 'waiting', 1)
  await alice.do('accesses.delete', { id: app.access.id })
  t.match(await alice.call('channels.getOne', { id }), { error: { id: 'unknown-resource' } })
  server.answer = 200
  const before = server.deliveries.length
  clock.advance(2)
  await reaches(alice, own.id, 'delivered')
  t.equal(server.deliveries.length, before + 1, 'its messages are not sent')

  const brief = await alice.grant('read', 'diary', { type: 'app', expireAfter: 60 })
  const { id: briefId } = await addChannel(brief, 'webhook', { url: server.url })
  clock.advance(61)
  await queue(alice, { key: 'b', channelIds: [briefId] })
  t.match(await reaches(alice, briefId, 'failed'), [{ error: { id: 'access-ended' } }])
})

t.test('messages that wait for their turn are checked again', async t => {
  const adminKey = 'a-key-for-the-operator-0123456789'
  const service = await startWorld(t, { adminKey })
  const { alice, clock } = service
  const server = await receiver(t)
  const { id: standby } = await addChannel(alice, 'webhook', { url: `${server.url}/standby` })
  // Four calls of a host at a time: the others wait.
  const holdUp = async (key: string): Promise<() => void> => {
    const held: (() => void)[] = []
    server.answer = response => void held.push(() => response.writeHead(200).end())
    for (let n = 0; n < 4; n++)
      await queue(alice, { key: `${key}${n}`, channelIds: [standby], urgency: 'low' })
    await until(() => held.length === 4, 'four calls')
    return () => {
      server.answer = 200
      for (const release of held) release()
    }
  }
  const arrived = (name: string): unknown[] =>
    server.deliveries.filter(({ path }) => path === `POST /${name}`).map(({ body }) => body.title)
  const add = async (name: string): Promise<string> =>
    (await addChannel(alice, 'webhook', { url: `${server.url}/${name}` })).id

  const [deleted, moved, late] = [await add('deleted'), await add('moved'), await add('late')]
  const release = await holdUp('a')
  await queue(alice, { key: 'deleted', channelIds: [deleted] })
  await queue(alice, { key: 'moved', channelIds: [moved] })
  await queue(alice, { key: 'late', channelIds: [late], urgency: 'high' })
  // They have begun to wait by then.
  for (let n = 0; n < 3; n++) await service.http('GET', '/service/info')
  await alice.do('channels.delete', { id: deleted })
  await alice.do('channels.update', { id: moved, update: { target: { url: `${server.url}/new` } } })
  clock.advance(3700)
  release()
  t.match(await reaches(alice, late, 'failed'), [{ error: { id: 'too-late' } }])
  await reaches(alice, moved, 'delivered')
  t.same([arrived('deleted'), arrived('moved'), arrived('late')], [[], [], []])
  t.equal(arrived('new').length, 1)

  const own = await add('own')
  const releaseOthers = await holdUp('b')
  await queue(alice, { key: 'own', channelIds: [own] })
  for (let n = 0; n < 3; n++) await service.http('GET', '/service/info')
  const operate = async (method: string): Promise<void> => {
    const { error } = await service.call(undefined, method, { username: 'alice' }, adminKey)
    t.notOk(error, method)
  }
  await operate('system.suspendUser')
  releaseOthers()
  await service.http('GET', '/service/info')
  t.same(arrived('own'), [], 'nothing of a suspended account')
  await operate('system.resumeUser')
  await reaches(alice, own, 'delivered')
})

t.test('the end of an account while a message is on its way is no failure', async t => {
  const lines: string[] = []
  const note = (line: string): void => void lines.push(line)
  const adminKey = 'a-key-for-the-operator-0123456789'
  const service = await startWorld(t, { adminKey }, { info() {}, warn: note, error: note })
  const server = await receiver(t)
  const ends = { bobby: 'users.delete', carol: 'system.suspendUser' }
  for (const [name, method] of Object.entries(ends)) {
    const user = await service.user(name)
    let finish: (() => void) | undefined
    server.answer = response => void (finish = () => response.writeHead(200).end())
    const { id } = await addChannel(user, 'webhook', { url: server.url })
    await queue(user, { key: 'a', channelIds: [id] })
    await until(() => finish !== undefined, 'a call')
    t.notOk((await service.call(undefined, method, { username: name }, adminKey)).error)
    finish?.()
    await service.server.settle()
    // The answer has been read by then.
    for (let n = 0; n < 5; n++) await service.http('GET', '/service/info')
  }
  t.same(lines, [])
})

t.test('messages that failed are forgotten after a while, like others', async t => {
  const { alice, clock, server } = await startWorld(t, { channels: { maxPerHour: 1000 } })
  const dead = await receiver(t)
  dead.answer = 400
  const { id } = await addChannel(alice, 'webhook', { url: dead.url })
  for (let n = 0; n < 60; n++) await queue(alice, { key: `m${n}`, channelIds: [id] })
  await until(() => dead.deliveries.length === 60, '60 refusals')
  await server.settle()
  clock.advance(31 * 86_400)
  await queue(alice, { key: 'last', channelIds: [id] })
  const { accounts } = server.services
  const { messages } = accounts.openStore(accounts.find('alice')!)
  await until(() => messages.listOfChannel(id)[0]?.state === 'failed' && !messages.isWaiting, 'one more')
  t.same(
    ['m0', 'm10', 'm11', 'last'].map(key => messages.isKnown(key)),
    [false, false, true, true]
  )
})

t.test('a suspended account sends nothing until it is resumed', async t => {
  const adminKey = 'a-key-for-the-operator-0123456789'
  const service = await startWorld(t, { adminKey })
  const { alice, clock } = service
  const server = await receiver(t)
  server.answer = 503
  const { id } = await addChannel(alice, 'webhook', { url: server.url })
  await queue(alice, { key: 'a', channelIds: [id] })
  await reaches(alice, id, 'waiting', 1)
  const operate = async (method: string): Promise<void> => {
    const { error } = await service.call(undefined, method, { username: 'alice' }, adminKey)
    t.notOk(error, method)
  }
  await operate('system.suspendUser')
  server.answer = 200
  clock.advance(60)
  // The service runs its other work in between.
  await service.http('GET', '/service/info')
  t.equal(server.deliveries.length, 1)
  await operate('system.resumeUser')
  await reaches(alice, id, 'delivered', 2)
})

t.test('channels that are turned off', async t => {
  const { alice } = await startWorld(t, { channels: { enabled: false } })
  t.match(await alice.http('GET', '/channels'), {
    status: 451,
    body: { error: { id: 'unavailable-method' } }
  })
})
