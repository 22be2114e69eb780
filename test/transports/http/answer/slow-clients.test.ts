/** Clients that read responses slowly or not at all: limits on their memory, duration and number. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { open } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import t from 'tap'
import { coffer, openCoffer, type Client, type Overrides } from '../../../support/coffer.js'
import { held } from '../../../support/deaf.js'
import { inRotation, rotate } from '../../../support/rotation.js'
import { SlowClient } from '../../../support/slow-client.js'

t.setTimeout(900_000)

/** More than the system buffers for a connection that is not read. */
const much = 8 * 1024 * 1024

/** Lets pending work continue, including threads of the system. */
async function turns(count = 10): Promise<void> {
  for (let turn = 0; turn < count; turn++) await open(import.meta.filename).then(file => file.close())
}

/** Resolves with the service's side of the next response. */
async function nextResponse(): Promise<ServerResponse> {
  return await new Promise(resolve => {
    const seen = (message: unknown): void => {
      unsubscribe('http.server.request.start', seen)
      resolve((message as { response: ServerResponse }).response)
    }
    subscribe('http.server.request.start', seen)
  })
}

/** Stores data so that each kind of response is long; returns requests by name. */
async function filled(user: Client): Promise<Record<string, readonly [path: string, options?: object]>> {
  await user.stream('diary')
  const small = 30_000
  for (let size = 0; size < much; size += 50 * small)
    await user.do(
      'callBatch',
      Array.from({ length: 50 }, (_, at) => ({
        method: 'events.create',
        params: { streamIds: ['diary'], type: 'note/txt', content: 'x'.repeat(small), time: size + at }
      }))
    )
  const { id } = await user.event({ type: 'file/attached', content: undefined })
  const form = new FormData()
  form.append('file', new Blob([Buffer.alloc(much, 'b')]), 'large.bin')
  const { body } = await user.http('POST', `/events/${id}`, form)
  const [file] = body.event.attachments
  const largest = { content: 'y'.repeat(much * 0.6), time: 1 }
  const large: string[] = []
  for (let time = 0; time < 2; time++) large.push((await user.event({ ...largest, type: 'text/large' })).id)
  const get = { method: 'events.get', params: { limit: 2000 } }
  return {
    'a list': ['/events?limit=2000'],
    'events of megabytes': ['/events?types=text/large&limit=10'],
    'an attachment': [`/events/${id}/${file.id}`],
    'an export': ['/account/export'],
    'a table': ['/events/export?format=csv&types=note/txt'],
    'a table of megabytes': ['/events/export?format=csv&types=text/large'],
    'a batch': ['/', { verb: 'POST', body: [get] }]
  }
}

const stalledSeconds = 20
const settings: Overrides = {
  limits: {
    longAnswers: 4,
    longAnswersPerAccess: 2,
    batchResultBytes: 4 * much,
    bodyBytes: 4 * much,
    stalledSeconds,
    minBytesPerSecond: 400_000
  }
}

const service = await openCoffer(t, settings)
const { alice, clock, server } = service
const kinds = await filled(alice)

t.test('a client that reads nothing', async t => {
  for (const [name, [path, options]] of rotate(t, Object.entries(kinds), 2))
    await t.test(`is disconnected during ${name}`, async t => {
      const slow = await SlowClient.get(alice, path, options)
      t.equal(await slow.status(), 200)
      t.same(server.services.longResponses.load, { open: 1, waiting: 0 })
      let seconds = 0
      for (; server.services.longResponses.load.open > 0 && seconds < 100_000; seconds += 10) {
        await turns()
        clock.advance(10)
      }
      t.ok(seconds >= stalledSeconds && seconds < 100_000, `${seconds} seconds`)
      await slow.takeAll()
      t.notOk(slow.isWhole)
      t.same(server.services.longResponses.load, { open: 0, waiting: 0 })
    })
})

t.test('a client that reads nothing is disconnected during a long error', async t => {
  const streamIds = Array.from({ length: 3000 }, (_, at) => '\u20ac'.repeat(1000) + at)
  const body = { streamIds, type: 'note/txt', content: 'x' }
  const slow = await SlowClient.get(alice, '/events', { verb: 'POST', body })
  t.equal(await slow.status(), 400)
  t.same(server.services.longResponses.load, { open: 2, waiting: 0 }, 'as many as an access may have')
  t.same(server.services.uploadBuffers.known.bytes, 0)
  let seconds = 0
  for (; server.services.longResponses.load.open > 0 && seconds < 100_000; seconds += 10) {
    await turns()
    clock.advance(10)
  }
  t.ok(seconds >= stalledSeconds && seconds < 100_000, `${seconds} seconds`)
  await slow.takeAll()
  t.notOk(slow.isWhole)
  const { message } = (await alice.call('events.create', body)).error
  t.ok(message.length <= 2001, 'its message is short')
})

t.test('a list in another script takes little more than its texts while it is not read', async t => {
  const length = 900_000
  const other = await coffer(t)
  await other.alice.stream('diary')
  for (let n = 0; n < 9; n++) await other.alice.event({ content: 'é'.repeat(length) })
  const read = async (): Promise<SlowClient> => {
    const client = await SlowClient.get(other.alice, '/events?limit=9')
    t.equal(await client.status(), 200)
    await turns(50)
    return client
  }
  const first = await read()
  const before = held()
  const clients = await Promise.all(Array.from({ length: 10 }, read))
  const each = (held() - before) / clients.length / length
  t.comment(`${each.toFixed(1)} bytes`)
  t.ok(each < 6, `${each.toFixed(1)} bytes for each character`)
  for (const client of [first, ...clients]) client.leave()
})

t.test('a client that reads slowly', async t => {
  for (const [name, [path, options]] of rotate(t, Object.entries(kinds), 2)) {
    const slow = await SlowClient.get(alice, path, options)
    t.equal(await slow.status(), 200)
    await t.test(`but steadily receives all of ${name}`, async t => {
      for (let time = 0; !slow.hasEnded && !slow.isWhole && time < 100; time++) {
        await slow.take(much / 2)
        await turns()
        clock.advance(15)
        await turns()
      }
      t.ok(slow.isWhole, name)
      slow.leave()
    })
  }
})

t.test('a client that reads too slowly for long is disconnected', async t => {
  const { alice, clock } = await coffer(t, {
    limits: { ...settings.limits!, minBytesPerSecond: 2_000_000 }
  })
  await alice.stream('diary')
  const { id } = await alice.event({ type: 'file/attached', content: undefined })
  const form = new FormData()
  form.append('file', new Blob([Buffer.alloc(6 * much)]), 'larger.bin')
  const { body } = await alice.http('POST', `/events/${id}`, form)
  const sent = nextResponse()
  const slow = await SlowClient.get(alice, `/events/${id}/${body.event.attachments[0].id}`)
  t.equal(await slow.status(), 200)
  const response = await sent
  const socket = response.socket!
  let seconds = 0
  for (; !slow.hasEnded && !slow.isWhole; seconds += 19) {
    // Only time during which the service waits for the client counts.
    while (!response.writableNeedDrain && !response.destroyed) await turns(1)
    clock.advance(19)
    // Just enough for the service to send some more, whatever the system buffers.
    const before = socket.bytesWritten
    while (socket.bytesWritten === before && !slow.hasEnded && !slow.isWhole) {
      await slow.take(64 * 1024)
      await turns(1)
    }
  }
  t.notOk(slow.isWhole)
  t.ok(seconds >= 200 && seconds <= 240, `${seconds} seconds`)
})

t.test('a client whose access ends', async t => {
  for (const workers of rotate(t, [0, 2])) {
    const used = workers === 0 ? service : await coffer(t, { ...settings, workers })
    const { alice } = used
    const own = workers === 0 ? kinds : await filled(alice)
    for (const [name, [path, options]] of Object.entries(own))
      await t.test(`receives no more of ${name}, with ${workers} threads`, async t => {
        const { access } = await used.call(undefined, 'test.signIn', { username: 'alice', appId: name })
        const reader = Object.assign(Object.create(alice) as Client, { access })
        const slow = await SlowClient.get(reader, path, options)
        t.equal(await slow.status(), 200)
        await turns()
        await reader.do('auth.logout')
        await slow.takeAll()
        t.notOk(slow.isWhole)
        t.ok(slow.received < much, `${slow.received} bytes`)
      })
    await t.test(`receives no more of a file that leaves its scope, with ${workers} threads`, async t => {
      await alice.stream('elsewhere')
      const [path] = own['an attachment']!
      const reader = await alice.grant('read', 'diary')
      const slow = await SlowClient.get(reader, path)
      t.equal(await slow.status(), 200)
      await turns()
      await alice.do('events.update', { id: path.split('/')[2], update: { streamIds: ['elsewhere'] } })
      await slow.takeAll()
      t.notOk(slow.isWhole)
      await alice.do('events.update', { id: path.split('/')[2], update: { streamIds: ['diary'] } })
    })
  }
})

t.test('long responses', async t => {
  const [list] = kinds['a list']!

  const test = inRotation(t, 2)
  test('are limited per access', async t => {
    const reader = await alice.grant('read', 'diary')
    const open = [
      await SlowClient.get(reader, list),
      await SlowClient.get(reader, kinds['an attachment']![0])
    ]
    for (const slow of open) t.equal(await slow.status(), 200)
    const waiting = [await SlowClient.get(reader, list), await SlowClient.get(reader, list)]
    while (server.services.longResponses.load.waiting < 2) await turns(10)
    const refused = await reader.http('GET', list)
    t.match(refused, { status: 429, body: { error: { id: 'too-many-requests' } } })
    t.equal(refused.headers.get('retry-after'), '5')
    t.equal((await reader.http('GET', '/events?limit=1')).status, 200, 'short ones are not')
    open[0]!.leave()
    t.equal(await waiting[0]!.status(), 200, 'those that wait get their turn')
    clock.advance(11)
    t.equal(await waiting[1]!.status(), 429)
    t.match(waiting[1]!.text, 'too-many-requests')
    for (const slow of [...open, ...waiting]) slow.leave()
    while (server.services.longResponses.load.open > 0) await turns(10)
  })

  test('are limited in total', async t => {
    const readers = await Promise.all([1, 2, 3].map(() => alice.grant('read', 'diary')))
    const open = await Promise.all(
      readers.slice(0, 2).flatMap(reader => [SlowClient.get(reader, list), SlowClient.get(reader, list)])
    )
    for (const slow of open) t.equal(await slow.status(), 200)
    const waiting = [await SlowClient.get(readers[2]!, list), await SlowClient.get(readers[2]!, list)]
    while (server.services.longResponses.load.waiting < 2) await turns(10)
    const refused = await alice.http('GET', list)
    t.match(refused, { status: 503, body: { error: { id: 'api-unavailable' } } })
    t.equal(refused.headers.get('retry-after'), '5')
    t.equal((await alice.event({ content: 'written' })).content, 'written')
    open[0]!.leave()
    t.equal(await waiting[0]!.status(), 200)
    for (const slow of [...open, ...waiting]) slow.leave()
    clock.advance(11)
    while (server.services.longResponses.load.open > 0) await turns(10)
    t.same(server.services.longResponses.load, { open: 0, waiting: 0 })
  })

  test('are not counted for HEAD requests, nor after a disconnect', async t => {
    for (const path of Object.values(kinds).flatMap(([one, options]) => (options ? [] : [one]))) {
      t.equal((await alice.http('HEAD', path)).status, 200, path)
      const slow = await SlowClient.get(alice, path)
      slow.leave()
    }
    while (server.services.longResponses.load.open > 0) await turns(10)
    t.same(server.services.longResponses.load, { open: 0, waiting: 0 })
  })

  test('of writing calls are sent once there is capacity', async t => {
    const reader = await alice.grant('contribute', 'diary')
    const open = [await SlowClient.get(reader, list), await SlowClient.get(reader, list)]
    for (const slow of open) t.equal(await slow.status(), 200)
    const writing = reader.http('POST', '/events', {
      streamIds: ['diary'],
      type: 'note/txt',
      content: 'z'.repeat(100_000)
    })
    while (server.services.longResponses.load.waiting < 1) await turns(10)
    open[0]!.leave()
    t.equal((await writing).status, 201)
    open[1]!.leave()
  })
})

t.test('pipelined requests', async t => {
  const { alice, server } = await openCoffer(t)
  await alice.stream('diary')
  for (let at = 0; at < 5; at++) await alice.event({ content: `${at} ${'x'.repeat(60_000)}` })
  const { events } = await alice.do('events.get')
  const one = (id: string): string =>
    `GET /alice/events/${id} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${alice.token}\r\n\r\n`

  t.test('are answered in order', async t => {
    const asked = Array.from({ length: 90 }, (_, at) => events[at % 5].id)
    const slow = await SlowClient.send(server.url, asked.map(one).join(''))
    await slow.take(asked.length * 60_000)
    while ((slow.text.match(/"meta":\{[^}]*\}\}/g) ?? []).length < asked.length) await slow.take(1)
    const answered = Array.from(slow.text.matchAll(/\{"event":\{"id":"(\w+)"/g), ([, id]) => id)
    t.same(answered, asked)
    slow.leave()
  })

  t.test('are not executed before the responses to earlier ones are read', async t => {
    const audited = ':_audit:action-events.getOne'
    const made = async (): Promise<number> => {
      const { events: records } = await alice.do('events.get', { streams: [audited], limit: 10_000 })
      return records.length
    }
    const before = await made()
    const slow = await SlowClient.send(server.url, one(events[0].id).repeat(100))
    await slow.take(1)
    await turns(100)
    const count = (await made()) - before
    t.ok(count >= 1 && count < 90, `${count} of 100 calls`)
    slow.leave()
  })

  t.test('end the connection when there are too many', async t => {
    const slow = await SlowClient.send(server.url, one(events[0].id).repeat(300))
    await slow.takeAll()
    t.ok(slow.hasEnded)
  })
})
