/** Sockets by the client: changes, calls and lost connections. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { WebSocket } from 'ws'
import { Coffer, newId, Socket, type CofferError, type WebSocketLike } from '../../client/src/index.js'
import { ManualClock } from '../../core/time.js'
import { startServer, type Server } from '../../server/server.js'
import { coffer, methodModules, Service, testSettings } from '../support/coffer.js'
import { cofferOf, refusalOf } from '../support/own-client.js'
import { until } from '../support/socket.js'

const ways = [
  { name: 'by polling', options: { WebSocket: false } },
  { name: 'by a WebSocket of the package ws', options: { WebSocket } }
] as const

for (const { name, options } of ways)
  t.test(name, async t => {
    const { alice, server } = await coffer(t)
    await alice.stream('diary')
    const mine = cofferOf(alice)
    const socket = new Socket(mine, options)
    t.teardown(() => socket.close())
    const heard: string[] = []
    for (const each of ['eventsChanged', 'streamsChanged', 'accessesChanged', 'open'] as const)
      socket.on(each, () => void heard.push(each))

    await t.test('reports changes until the listener is removed', async t => {
      await until(() => socket.isOpen, 'the socket is open')
      const end = socket.on('eventsChanged', () => void heard.push('too much'))
      end()
      await alice.event()
      await until(() => heard.includes('eventsChanged'), 'the change is told')
      await alice.stream('other')
      await until(() => heard.includes('streamsChanged'), 'the change is told')
      t.same(heard, ['open', 'eventsChanged', 'streamsChanged'])
    })

    await t.test('calls methods in order', async t => {
      const params = { streamIds: ['diary'], type: 'note/txt', content: 'by socket' }
      const results = await Promise.all([
        socket.call('events.create', params),
        socket.call('events.get', { limit: 1 }),
        ...Array.from({ length: 20 }, async () => await socket.call('getAccessInfo'))
      ])
      t.match(results, [
        { event: { content: 'by socket' } },
        { events: [{ content: 'by socket' }] },
        { type: 'personal' }
      ])
      t.match(await refusalOf(socket.call('events.getOne', { id: 'nowhere' })), {
        name: 'CofferError',
        id: 'unknown-resource'
      })
      const gone = new AbortController()
      const given = socket.call('streams.get', {}, { signal: gone.signal })
      gone.abort(new Error('enough'))
      t.match(await refusalOf(given), { message: 'enough' })
    })

    await t.test('survives a listener that throws', async t => {
      const thrown = new Promise<unknown>(resolve => process.once('uncaughtException', resolve))
      const end = socket.on('eventsChanged', () => {
        throw new Error('a mistake of the listener')
      })
      await alice.event()
      t.match(await thrown, { message: /mistake/ })
      end()
      t.match(await socket.call('getAccessInfo'), { type: 'personal' })
    })

    await t.test('reports only scopes if any are subscribed', async t => {
      const keys: unknown[] = []
      socket.on('notificationsChanged', told => void keys.push(told.keys))
      await socket.subscribe({ notes: { kind: 'events', query: { streams: ['diary'] } } })
      heard.length = 0
      await alice.event()
      await until(() => keys.length > 0, 'the scope is told')
      t.same(keys, [['notes']])
      t.same(heard, [])
      await socket.unsubscribe('notes')
      await alice.event()
      await until(() => heard.length > 0, 'the change is told as before')
    })

    await t.test('is refused without a valid token', async t => {
      const refusals: (CofferError | undefined)[] = []
      const stranger = new Socket(new Coffer(`${server.url}/alice/`, { token: 'nobody' }), options)
      stranger.on('cut', error => void refusals.push(error))
      await until(() => refusals.length > 0, 'it is refused')
      t.match(refusals, [{ id: 'invalid-access-token' }])
      const waiting = stranger.call('streams.get')
      stranger.close()
      t.match(await refusalOf(waiting), { id: 'offline' })
      t.match(await refusalOf(stranger.call('streams.get')), { id: 'offline' })
    })

    await t.test('is closed when its access is revoked', async t => {
      const reader = await alice.grant('read', 'diary')
      const other = new Socket(cofferOf(reader), options)
      t.teardown(() => other.close())
      await until(() => other.isOpen, 'it is open')
      await alice.do('accesses.delete', { id: reader.access.id })
      await until(() => !other.isOpen, 'it is cut')
    })
  })

t.test('reconnects after a restart of the server', async t => {
  for (const { name, options } of ways)
    await t.test(name, async t => {
      const directory = mkdtempSync(join(tmpdir(), 'coffer-test-'))
      const clock = new ManualClock()
      const start = async (port: number): Promise<Server> =>
        await startServer({ ...testSettings(directory), port }, { clock, methodModules })
      let server = await start(0)
      t.teardown(async () => {
        await server.close()
        rmSync(directory, { recursive: true, force: true })
      })
      const alice = await new Service(server, clock, directory).user('alice')
      await alice.stream('diary')
      const socket = new Socket(cofferOf(alice), options)
      t.teardown(() => socket.close())
      const heard: string[] = []
      for (const each of ['open', 'cut', 'notificationsChanged'] as const)
        socket.on(each, () => void heard.push(each))
      await socket.subscribe({ all: { kind: 'events' } })

      const port = Number(new URL(server.url).port)
      await server.close()
      await until(() => heard.includes('cut'), 'the line is cut')
      // Calls made while the connection is down wait.
      const read = socket.call('streams.get')
      server = await start(port)
      t.match(await read, { streams: Array })
      t.match(heard, ['open', 'cut', 'open'])
      await cofferOf(alice).call('events.create', { streamIds: ['diary'], type: 'note/txt', content: 'news' })
      await until(() => heard.includes('notificationsChanged'), 'its scopes are in force again')
    })
})

t.test('calls that were pending when the connection was lost are repeated only if they read', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  const mine = cofferOf(alice)
  const made: Mute[] = []
  class Mute extends WebSocket {
    isMute = false
    constructor(url: string) {
      super(url)
      made.push(this)
    }
    override send(text: string): void {
      if (!this.isMute) super.send(text)
    }
  }
  const socket = new Socket(mine, { WebSocket: Mute as new (url: string) => WebSocketLike })
  t.teardown(() => socket.close())
  await until(() => socket.isOpen && made[0]?.readyState === WebSocket.OPEN, 'it is open')
  let polls = 0
  socket.on('eventsChanged', () => (polls += 1))
  await alice.event()
  await until(() => polls > 0, 'it is heard')
  made[0]!.isMute = true
  const read = socket.call('streams.get')
  const written = socket.call('events.create', { streamIds: ['diary'], type: 'note/txt', content: 'lost' })
  const refused = refusalOf(written)
  await until(() => made[0]!.readyState === WebSocket.OPEN, 'it has moved')
  made[0]!.terminate()
  t.match(await refused, { id: 'offline' }, 'a write may have been made: it is not made again')
  t.match(await read, { streams: Array }, 'a read is made again')
})

t.test('an event with a given id is created once, although the result was lost', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  let isLost = false
  const losing = cofferOf(alice, {
    fetch: async (url, init) => {
      const response = await fetch(url, init)
      if (isLost || !(await response.clone().text()).includes('"event"')) return response
      isLost = true
      throw new TypeError('lost')
    }
  })
  const socket = new Socket(losing, { WebSocket: false })
  t.teardown(() => socket.close())
  const sent = { streamIds: ['diary'], type: 'note/txt', content: 'once', id: newId() }
  t.match(await socket.call('events.create', sent), { event: sent })
  t.ok(isLost, 'the first result was lost')
  t.match(await refusalOf(socket.call('events.create', sent)), { id: 'item-already-exists' })
  t.match((await socket.call('events.get')).events, { length: 1 })
})

t.test('scopes that are refused after a reconnection do not end the others', async t => {
  const { alice } = await coffer(t)
  let isCut = false
  const failing = cofferOf(alice, {
    fetch: async (url, init) => {
      if (!isCut) return await fetch(url, init)
      isCut = false
      throw new TypeError('lost')
    }
  })
  const socket = new Socket(failing, { WebSocket: false })
  t.teardown(() => socket.close())
  for (const id of ['diary', 'gone', 'other']) {
    await alice.stream(id)
    await socket.subscribe({ [id]: { kind: 'events', query: { streams: [id] } } })
  }
  for (let times = 0; times < 2; times++) await alice.do('streams.delete', { id: 'gone' })
  const heard: (readonly string[])[] = []
  socket.on('notificationsChanged', ({ keys }) => void heard.push(keys))
  isCut = true
  await socket.call('getAccessInfo')
  t.notOk(isCut, 'the connection was lost')
  for (const id of ['diary', 'other']) await alice.event({ streamIds: [id] })
  await until(() => heard.flat().includes('other'), 'the change is told')
  t.same(heard.flat(), ['diary', 'other'])
})

t.test('a malformed message closes the connection, which is opened again', async t => {
  const { alice } = await coffer(t)
  const made: WebSocket[] = []
  class Kept extends WebSocket {
    constructor(url: string) {
      super(url)
      made.push(this)
    }
  }
  const socket = new Socket(cofferOf(alice), { WebSocket: Kept as new (url: string) => WebSocketLike })
  t.teardown(() => socket.close())
  await until(() => socket.isOpen && made[0]?.readyState === WebSocket.OPEN, 'it is open')
  for (const text of ['42/alice,nonsense', '43/alice,1nonsense', '0nonsense']) {
    const [last] = made.slice(-1)
    let isCut = false
    const unheard = socket.on('cut', () => (isCut = true))
    t.doesNotThrow(() => last!.emit('message', Buffer.from(text), false))
    t.ok(isCut, text)
    unheard()
    await until(
      () => socket.isOpen && made.at(-1) !== last && made.at(-1)!.readyState === WebSocket.OPEN,
      'anew'
    )
  }
})
