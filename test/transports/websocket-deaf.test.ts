/** Clients that ask and do not listen: what they may make the service hold, when they are cut, what others notice of it. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { coffer, type Client, type Overrides, type Service } from '../support/coffer.js'
import { PollingClient } from '../support/polling.js'
import { socketOf, until, versions } from '../support/socket.js'

const KiB = 1024
const MiB = 1024 * KiB

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Bytes that this process holds: the service, and clients, which in these tests hold next to nothing. */
function held(): number {
  // What a first pass frees may have held what is outside the heap.
  collectGarbage()
  collectGarbage()
  const { external, heapUsed } = process.memoryUsage()
  return heapUsed + external
}

/** A connection in the client's namespace that reads nothing from then on. */
async function deaf(t: Test, { service, token, username }: Client, eio: 3 | 4 = 4): Promise<WebSocket> {
  const { url } = service.server
  const socket = new WebSocket(`${url.replace('http', 'ws')}/socket.io/?EIO=${eio}&transport=websocket`)
  socket.on('error', () => {})
  t.teardown(() => socket.terminate())
  const joined = new Promise<void>(resolve =>
    socket.on('message', data => (data as Buffer).toString().startsWith(`40/${username}`) && resolve())
  )
  await once(socket, 'open')
  socket.send(eio === 4 ? `40/${username},{"auth":"${token}"}` : `40/${username}?auth=${token},`)
  await joined
  socket.pause()
  return socket
}

/** Asks for the same answer many times. */
function ask(socket: WebSocket, { username }: Client, count: number): void {
  send(
    socket,
    Array.from({ length: count }, (_, n) => `42/${username},${n}["streams.get",{}]`)
  )
}

/** Sends messages in one piece: in many they would take more memory here than in the service. */
function send(socket: WebSocket, messages: readonly string[]): void {
  const frames = messages.map(message => {
    const bytes = Buffer.from(message)
    const length = Buffer.alloc(2)
    length.writeUInt16BE(bytes.length)
    // A text that is masked by zeros.
    return Buffer.concat([Buffer.from([0x81, 0x80 | 126]), length, Buffer.alloc(4), bytes])
  })
  // oxlint-disable-next-line no-underscore-dangle -- what ws calls it
  ;(socket as unknown as { _socket: Socket })._socket.write(Buffer.concat(frames))
}

/** Waits until nothing is done any more that was asked for before. */
async function quiet(t: Test, client: Client): Promise<void> {
  const socket = await socketOf(t, client)
  for (let n = 0; n < 100; n++) await socket.call('getAccessInfo')
}

/** Moves the clock on, step by step: what is under way goes on in between. */
async function pass({ clock }: Service, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 5) {
    clock.advance(5)
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  }
}

async function closed(socket: WebSocket): Promise<void> {
  // Who does not read does not hear of it either.
  socket.resume()
  if (socket.readyState !== WebSocket.CLOSED) await once(socket, 'close')
}

/** A service with a stream of alice's that makes answers so long. */
async function withAnswersOf(
  t: Test,
  length: number,
  overrides: Overrides = {}
): Promise<Service & { alice: Client }> {
  const service = await coffer(t, overrides)
  await service.alice.do('streams.create', { id: 'big', name: 'big', clientData: { x: 'y'.repeat(length) } })
  return service
}

t.test('a connection whose client takes nothing', async t => {
  for (const length of [100, 10 * KiB, 200 * KiB, 900 * KiB])
    t.test(`holds about 2 MB at most, with answers of ${length} bytes`, async t => {
      const service = await withAnswersOf(t, length)
      const { alice } = service
      const bob = await service.user('bobby')
      await alice.stream('small')
      const change = async (): Promise<void> => {
        for (let n = 0; n < 300; n++)
          await alice.do('streams.update', { id: 'small', update: { name: `${n}` } })
      }
      await change()
      await quiet(t, bob)
      const before = held()
      const sockets = await Promise.all(Array.from({ length: 10 }, () => deaf(t, alice)))
      for (const socket of sockets) {
        ask(socket, alice, length < KiB ? 8000 : 1000)
        // Far more than is read while the answers are not taken.
        socket.send(`42/alice,1["streams.get",{"x":"${'y'.repeat(200 * KiB)}"}]`)
      }
      await change()
      await quiet(t, bob)
      await quiet(t, bob)
      const asked = sockets.reduce((sum, { bufferedAmount }) => sum + bufferedAmount, 0)
      const each = (held() - before - asked) / sockets.length / MiB
      t.comment(`${each.toFixed(2)} MiB`)
      t.ok(each < 2, `${each.toFixed(2)} MiB each`)
    })

  t.test('hears of changes once when it takes something again', async t => {
    const { alice } = await withAnswersOf(t, 200 * KiB)
    const socket = await deaf(t, alice)
    ask(socket, alice, 200)
    await quiet(t, alice)
    for (let n = 0; n < 500; n++)
      await alice.do('streams.update', { id: 'big', update: { name: `big ${n}` } })
    const heard: string[] = []
    socket.on('message', data => heard.push((data as Buffer).toString().slice(0, 60)))
    socket.resume()
    await until(() => heard.some(message => message.includes('streamsChanged')), 'the news')
    await until(() => heard.filter(message => message.startsWith('43')).length === 200, 'all answers')
    const news = heard.filter(message => message.includes('streamsChanged')).length
    t.ok(news < 100, `${news} messages for 500 changes`)
  })

  t.test('hears of all scopes that changed', async t => {
    const { alice } = await withAnswersOf(t, 200 * KiB)
    await alice.stream('a')
    await alice.stream('b')
    const socket = await deaf(t, alice)
    const scopes = {
      a: { kind: 'events', query: { streams: ['a'] } },
      b: { kind: 'events', query: { streams: ['b'] } }
    }
    socket.send(`42/alice,999["subscribe",${JSON.stringify({ scopes })}]`)
    ask(socket, alice, 200)
    await quiet(t, alice)
    for (let n = 0; n < 100; n++) await alice.event({ streamIds: [n < 50 ? 'a' : 'b'] })
    const keys = new Set<string>()
    let news = 0
    socket.on('message', data => {
      const [, told] = /"notificationsChanged",(\{.*\})/.exec((data as Buffer).toString()) ?? []
      if (told === undefined) return
      news++
      for (const key of JSON.parse(told).keys) keys.add(key)
    })
    socket.resume()
    await until(() => keys.size === 2, 'both')
    t.ok(news < 50, `${news} messages for 100 changes`)
  })

  t.test('is cut after a while, whatever it says; who takes answers is not', async t => {
    const service = await withAnswersOf(t, 200 * KiB, { limits: { stalledSeconds: 60 } })
    const { alice } = service
    const reading = await socketOf(t, alice)
    const quietSocket = await socketOf(t, alice)
    const sockets = [await deaf(t, alice), await deaf(t, alice, 3)]
    const polling = [await PollingClient.of(alice), await PollingClient.of(alice, 3)]
    for (const socket of sockets) ask(socket, alice, 300)
    for (const client of polling) await client.post('42/alice,1["streams.get",{}]')
    for (let passed = 0; passed < 100; passed += 20) {
      await pass(service, 20)
      // Says that it is there.
      sockets[0]!.send('3')
      sockets[1]!.send('2')
      await polling[0]!.post('3')
      await polling[1]!.post('2')
      t.match(await reading.call('streams.get'), { streams: Array })
    }
    await Promise.all(sockets.map(closed))
    for (const client of polling) t.match(await client.poll(), /Session ID unknown/)
    t.match(await quietSocket.call('streams.get'), { streams: Array })
  })

  t.test('is cut when it goes on asking for signs of life', async t => {
    const service = await coffer(t)
    const socket = await deaf(t, service.alice, 3)
    await quiet(t, service.alice)
    const before = held()
    send(
      socket,
      Array.from({ length: 500_000 }, () => '2')
    )
    await quiet(t, service.alice)
    const grown = (held() - before) / MiB
    await closed(socket)
    t.ok(grown < 10, `${grown.toFixed(0)} MiB`)
  })
})

t.test('long answers that nobody takes', async t => {
  const small = { sockets: { maxBufferedBytes: 16 * MiB }, limits: { batchResultBytes: 2 * MiB } }

  t.test('are few for one access, and more for one account; others get theirs', async t => {
    const service = await withAnswersOf(t, 900 * KiB, small)
    const { alice } = service
    const bob = await service.user('bobby')
    await bob.do('streams.create', { id: 'big', name: 'big', clientData: { x: 'y'.repeat(900 * KiB) } })
    const shared = await alice.grant('read', 'big')
    const sockets = await Promise.all(Array.from({ length: 20 }, () => deaf(t, shared)))
    for (const socket of sockets) ask(socket, shared, 50)
    await quiet(t, bob)
    const reader = await socketOf(t, shared)
    await until(async () => (await reader.call('streams.get')).error !== undefined, 'the refusal')
    t.match(await reader.call('streams.get'), {
      error: { id: 'too-many-requests', data: { retryAfter: Number } },
      meta: {}
    })
    t.match(await reader.call('getAccessInfo'), { type: 'shared' }, 'what is short is answered')
    for (const client of [alice, bob]) {
      const socket = await socketOf(t, client)
      for (let n = 0; n < 5; n++)
        t.match(await socket.call('streams.get'), { streams: Array }, client.username)
      t.match(await socket.call('callBatch', [{ method: 'streams.get', params: {} }]), {
        results: [{ streams: Array }]
      })
    }
    await pass(service, 100)
    t.match(
      await reader.call('streams.get'),
      { streams: Array },
      'its answers are back when they have been cut'
    )
  })

  t.test('are few in all; what is short is answered, what is changed is told', async t => {
    const service = await withAnswersOf(t, 900 * KiB, small)
    const { alice } = service
    await alice.stream('diary')
    const others = await Promise.all(['bobby', 'carla', 'david', 'ellen'].map(name => service.user(name)))
    for (const other of others) {
      await other.do('streams.create', { id: 'big', name: 'big', clientData: { x: 'y'.repeat(900 * KiB) } })
      for (let access = 0; access < 3; access++) {
        const shared = await other.grant('read', 'big')
        for (let n = 0; n < 8; n++) ask(await deaf(t, shared), shared, 50)
      }
    }
    const socket = await socketOf(t, alice)
    await until(async () => (await socket.call('streams.get')).error?.id === 'api-unavailable', 'the refusal')
    t.match(await socket.call('streams.get'), { error: { data: { retryAfter: Number } }, meta: {} })
    t.match(await socket.call('getAccessInfo'), { type: 'personal' })
    const content = 'x'.repeat(200 * KiB)
    const params = { streamIds: ['diary'], type: 'note/txt', content }
    t.match(await socket.call('events.create', params), { event: { content } })
    const read = { method: 'getAccessInfo', params: {} }
    t.match(await socket.call('callBatch', [read]), { results: [{ type: 'personal' }] })
    await pass(service, 100)
    t.match(await socket.call('streams.get'), { streams: Array })
  })
})

t.test('long answers that are taken come whole', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  for (let n = 0; n < 20; n++) await alice.event({ content: 'é'.repeat(300_000) })
  for (const version of versions)
    for (const transports of [['websocket'], ['polling']]) {
      const socket = await socketOf(t, alice, { version, options: { transports } })
      const answers = await Promise.all([1, 2].map(() => socket.call('events.get', { limit: 20 })))
      for (const { events } of answers) t.equal(events.length, 20, `${version.name} by ${transports.join()}`)
    }
})

t.test('long calls', async t => {
  t.test('that do not end are cut, and hold no more than there is room for', async t => {
    const service = await coffer(t, {
      sockets: { maxBufferedBytes: 32 * MiB },
      limits: { batchResultBytes: MiB }
    })
    const { alice } = service
    const shared = await alice.grant('read', '*')
    const before = held()
    const sockets = await Promise.all(Array.from({ length: 20 }, () => deaf(t, shared)))
    const piece = Buffer.alloc(MiB, 'x')
    for (const socket of sockets)
      for (let n = 0; n < 5; n++) socket.send(piece, { fin: false, binary: false })
    await until(() => sockets.every(socket => socket.bufferedAmount === 0), 'all are sent, or cut')
    const bob = await service.user('bobby')
    await quiet(t, bob)
    const grown = (held() - before) / MiB
    t.ok(grown < 40, `${grown.toFixed(0)} MiB`)
    const socket = await socketOf(t, bob)
    t.match(await socket.call('streams.get', { x: 'y'.repeat(5 * MiB) }), {
      error: { id: 'invalid-parameters-format' }
    })
    await pass(service, 200)
    for (const one of sockets) await closed(one)
  })

  t.test('of one connection are read one after the other', async t => {
    const service = await coffer(t)
    const socket = await socketOf(t, service.alice)
    await service.alice.stream('diary')
    const content = 'y'.repeat(3 * MiB)
    const params = { streamIds: ['diary'], type: 'note/txt', content }
    const answers = await Promise.all(Array.from({ length: 10 }, () => socket.call('events.create', params)))
    t.equal(answers.filter(({ event }) => event?.content.length === content.length).length, 10)
  })

  t.test('of a client that polls wait until those before are done', async t => {
    const { alice } = await coffer(t, { sockets: { maxPendingBytes: 4 * KiB, callsPerSecond: 10 } })
    const client = await PollingClient.of(alice)
    const call = (n: number): string => `42/alice,${n}["streams.get",{"x":"${'y'.repeat(KiB)}"}]`
    t.equal(await client.post(...Array.from({ length: 15 }, (_, n) => call(n))), 200)
    const answered: string[] = []
    const isAnswered = (n: number): boolean => answered.some(answer => answer.startsWith(`43/alice,${n}`))
    const polling = (async () => {
      while (!isAnswered(101)) answered.push(...(await client.poll()).split('\u001e'))
    })()
    t.equal(await client.post(call(100)), 200)
    t.ok(answered.length >= 9, `${answered.length} had been answered`)
    await client.post(call(101))
    await polling
    t.ok(isAnswered(100))
  })
})
