/**
 * The socket and monitor libraries that apps of this API use, unmodified, against a running server.
 * (docs/spec/compatibility.md#what-clients-rely-on)
 */
import { createRequire } from 'node:module'
import t, { type Test } from 'tap'
import pryv, { type Connection } from 'pryv'
import { apiEndpoint } from '../../core/service-info.js'
import { coffer, type Answer, type Client } from '../support/coffer.js'
import { until } from '../support/socket.js'

const load = createRequire(import.meta.url)
type Extend = (library: typeof pryv) => void
for (const name of ['@pryv/socket.io', '@pryv/monitor']) (load(name) as Extend)(pryv)

/** Members that the extensions add. */
interface LiveSocket {
  open(): Promise<LiveSocket>
  close(): void
  on(name: string, listener: () => void): void
  api(calls: unknown[]): Promise<Answer[]>
}
interface Monitor {
  start(): Promise<Monitor>
  stop(): Monitor
  on(name: string, listener: (item: Answer) => void): Monitor
  addUpdateMethod(updateMethod: unknown): Monitor
}
type MonitorClass = {
  new (endpoint: string, scope?: object): Monitor
  UpdateMethod: { Socket: new () => { socket?: object }; EventsTimer: new (rateMs: number) => object }
}

function endpointOf({ service, token, username }: Client): string {
  return apiEndpoint(service.server.dispatcher.services.config, username, token)
}

function socketOf(client: Client): LiveSocket {
  const connection = new pryv.Connection(endpointOf(client)) as Connection & { socket: LiveSocket }
  return connection.socket
}

t.test('the socket library', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  const reader = await alice.grant('read', 'diary')

  for (const [who, client] of [
    ['a personal access', alice],
    ['a shared access', reader]
  ] as const)
    t.test(`opens for ${who}, makes calls and receives changes`, async t => {
      const socket = await socketOf(client).open()
      t.teardown(() => socket.close())
      const heard: string[] = []
      for (const name of ['eventsChanged', 'streamsChanged', 'accessesChanged'])
        socket.on(name, () => heard.push(name))
      t.match(
        await socket.api([
          { method: 'events.get', params: { limit: 1 } },
          { method: 'getAccessInfo', params: {} },
          { method: 'no.such', params: {} }
        ]),
        [{ events: [] }, { user: { username: 'alice' } }, { error: { id: 'invalid-method' } }]
      )
      const { event } = await alice.do('events.create', {
        streamIds: ['diary'],
        type: 'note/txt',
        content: 'hello'
      })
      await until(() => heard.includes('eventsChanged'), 'eventsChanged')
      await alice.do('streams.update', { id: 'diary', update: { name: who } })
      await until(() => heard.includes('streamsChanged'), 'streamsChanged')
      t.same(heard, ['eventsChanged', 'streamsChanged'])
      for (let step = 0; step < 2; step++) await alice.do('events.delete', { id: event.id })
    })

  t.test('is refused with a reason', async t => {
    const { username, access } = alice
    const stranger = Object.assign(Object.create(Object.getPrototypeOf(alice) as object) as Client, {
      service: alice.service,
      username,
      access: { ...access, token: 'nobody' }
    })
    await t.rejects(socketOf(stranger).open())
  })
})

t.test('the monitor library', async t => {
  const { Monitor } = pryv as unknown as { Monitor: MonitorClass }
  const socket = new Monitor.UpdateMethod.Socket()
  const methods = [
    { how: 'by socket', method: socket, isReady: () => socket.socket !== undefined },
    { how: 'by polling', method: new Monitor.UpdateMethod.EventsTimer(20), isReady: () => true }
  ]
  for (const { how, isReady, method } of methods)
    t.test(`follows events ${how}`, async t => {
      const { alice, clock } = await coffer(t)
      await alice.stream('diary')
      await alice.event({ content: 'before' })
      const seen = await follow(t, alice, Monitor, method)
      await until(isReady, 'the socket, opened after the first look')
      t.same(seen.splice(0), ['event before'])
      clock.advance(1)
      const { id } = await alice.event({ content: 'new' })
      await until(() => seen.length >= 1, 'the new event')
      clock.advance(1)
      await alice.do('events.update', { id, update: { content: 'changed' } })
      await until(() => seen.length >= 2, 'the changed event')
      clock.advance(1)
      await alice.do('events.delete', { id })
      await until(() => seen.length >= 3, 'the trashed event')
      clock.advance(1)
      await alice.do('events.delete', { id })
      await until(() => seen.length >= 4, 'the deletion')
      t.same(
        seen,
        ['event new', 'event changed', 'event changed', `deleted ${id}`],
        'each once, trashed ones too'
      )
    })
})

/** Follows an account with a monitor. Returns what the monitor reports, in order. */
async function follow(
  t: Test,
  client: Client,
  Monitor: MonitorClass,
  updateMethod: unknown
): Promise<string[]> {
  const seen: string[] = []
  const monitor = new Monitor(endpointOf(client), { limit: 100 })
  monitor
    .on('event', (event: Answer) => seen.push(`event ${event.content}`))
    .on('eventDelete', (event: Answer) => seen.push(`deleted ${event.id}`))
    .on('error', (error: Answer) => seen.push(`error ${error}`))
    .addUpdateMethod(updateMethod)
  await monitor.start()
  t.teardown(() => monitor.stop())
  return seen
}
