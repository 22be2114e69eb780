/** Delivery of messages: retries, limits, idempotency, and what ends it. */
import t from 'tap'
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
  const { alice, clock } = await startWorld(t, { channels: { maxPerHour: 2 } })
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
