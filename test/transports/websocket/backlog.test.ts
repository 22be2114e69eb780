/** Long responses and calls over sockets: memory for pending ones is limited in total, per account and per access. */
import { once } from 'node:events'
import t from 'tap'
import { WebSocket } from 'ws'
import { coffer } from '../../support/coffer.js'
import { ask, closed, deaf, enough, held, KiB, MiB, pass, quiet, withAnswersOf } from '../../support/deaf.js'
import { PollingClient } from '../../support/polling.js'
import { inRotation } from '../../support/rotation.js'
import { socketOf, until, versions } from '../../support/socket.js'

t.setTimeout(900_000)

t.test('unread long responses', async t => {
  const small = { sockets: { maxBufferedBytes: 16 * MiB }, limits: { batchResultBytes: 2 * MiB } }

  const test = inRotation(t, 2)
  test('are limited per access and per account; others are served', async t => {
    const service = await withAnswersOf(t, 900 * KiB, small)
    const { alice } = service
    const bob = await service.user('bobby')
    await bob.do('streams.create', { id: 'big', name: 'big', clientData: { x: 'y'.repeat(900 * KiB) } })
    const shared = await alice.grant('read', 'big')
    const sockets = await Promise.all(Array.from({ length: 10 }, () => deaf(t, shared)))
    for (const socket of sockets) ask(socket, shared, enough(900 * KiB))
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
    await until(async () => {
      await pass(service, 100)
      return (await reader.call('streams.get')).streams !== undefined
    }, 'its answers are back when they have been cut')
  })

  test('are limited in total; short responses and notifications are still sent', async t => {
    const service = await withAnswersOf(t, 900 * KiB, small)
    const { alice } = service
    await alice.stream('diary')
    const others = await Promise.all(['bobby', 'carla', 'david'].map(name => service.user(name)))
    for (const other of others) {
      await other.do('streams.create', { id: 'big', name: 'big', clientData: { x: 'y'.repeat(900 * KiB) } })
      for (let access = 0; access < 3; access++) {
        const shared = await other.grant('read', 'big')
        for (let n = 0; n < 2; n++) ask(await deaf(t, shared), shared, enough(900 * KiB))
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
    await until(async () => {
      await pass(service, 100)
      return (await socket.call('streams.get')).streams !== undefined
    }, 'all are cut that took nothing')
  })
})

t.test('long responses are complete if they are read', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  for (let n = 0; n < 10; n++) await alice.event({ content: 'é'.repeat(300_000) })
  for (const version of versions)
    for (const transports of [['websocket'], ['polling']]) {
      const socket = await socketOf(t, alice, { version, options: { transports } })
      const answers = await Promise.all([1, 2].map(() => socket.call('events.get', { limit: 20 })))
      for (const { events } of answers) t.equal(events.length, 10, `${version.name} by ${transports.join()}`)
    }
})

t.test('long calls', async t => {
  const test = inRotation(t, 2)
  test('that never end are cut off, and take a limited amount of memory', async t => {
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

  test('do not count any more when their connection is gone, whatever it has joined', async t => {
    const service = await coffer(t, {
      sockets: { maxBufferedBytes: 8 * MiB, maxPendingBytes: 64 * KiB },
      limits: { batchResultBytes: MiB }
    })
    const bob = await service.user('bobby')
    for (let round = 0; round < 4; round++) {
      const { token } = await service.alice.grant('read', '*')
      const sender = await deaf(t, service.alice)
      sender.resume()
      sender.send(`40/x/alice,{"auth":"${token}"}`)
      await once(sender, 'message')
      sender.send(Buffer.alloc(1.5 * MiB, 'x'), { fin: false, binary: false })
      await new Promise(resolve => sender.ping(resolve))
      await quiet(t, bob)
      t.equal(sender.readyState, WebSocket.OPEN, `round ${round}: there is room for a call`)
      sender.terminate()
      await quiet(t, bob)
    }
  })

  test('stay text until they are made, so they take no more memory than was counted', async t => {
    const { alice } = await coffer(t, { sockets: { callsPerSecond: 1 } })
    const client = await PollingClient.of(alice)
    const lists = `[${'[],'.repeat(5000)}0]`
    const calls = Array.from({ length: 600 }, (_, n) => `42/alice,${n}["streams.get",{"x":${lists}}]`)
    const before = held()
    t.equal(await client.post(...calls), 200)
    const other = await socketOf(t, alice)
    for (let n = 0; n < 3; n++) await other.call('getAccessInfo')
    const grown = (held() - before) / MiB
    t.ok(grown < 50, `${grown.toFixed(0)} MiB for ${Math.round(calls.join('').length / MiB)} MiB of text`)
  })

  test('on one connection are read one after another', async t => {
    const service = await coffer(t)
    const socket = await socketOf(t, service.alice)
    await service.alice.stream('diary')
    const content = 'y'.repeat(3 * MiB)
    const params = { streamIds: ['diary'], type: 'note/txt', content }
    const answers = await Promise.all(Array.from({ length: 10 }, () => socket.call('events.create', params)))
    t.equal(answers.filter(({ event }) => event?.content.length === content.length).length, 10)
  })

  test('of a polling client wait until earlier ones are done', async t => {
    const { alice } = await coffer(t, { sockets: { maxPendingBytes: 4 * KiB, callsPerSecond: 10 } })
    const client = await PollingClient.of(alice)
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

function call(n: number): string {
  return `42/alice,${n}["streams.get",{"x":"${'y'.repeat(KiB)}"}]`
}
