/** The examples in the documentation of the client library, for its second generation (`pryv` 2.x) and the third. */
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Event } from '../../schemas/event.js'
import { apiEndpoint } from '../../core/service-info.js'
import { coffer, type Answer, type Client } from './coffer.js'
import { until } from './socket.js'

/** A connection of the library; functions that were added later may be missing. */
interface Connection {
  readonly apiEndpoint: string
  api(calls: readonly object[], progress?: (percent: number) => void): Promise<Answer[]>
  apiOne?(method: string, params: object, key?: string): Promise<Answer>
  get(path: string, query?: object): Promise<Answer>
  post(path: string, body: object): Promise<Answer>
  getEventsStreamed(query: object, forEach: (event: Event) => void): Promise<Answer>
  createEventWithFile(event: object, path: string): Promise<Answer>
  createEventWithFileFromBuffer?(event: object, bytes: Buffer, name: string): Promise<Answer>
  addPointsToHFEvent(id: string, fields: string[], points: number[][]): Promise<Answer>
  username?(): Promise<string>
  accessInfo?(): Promise<Answer>
  revoke?(): Promise<Answer>
  readonly socket: Socket
}

interface Socket {
  open(): Promise<Socket>
  close?(): void
  on(name: string, listener: () => void): void
  api(calls: readonly object[]): Promise<Answer[]>
}

interface Monitor {
  start(): Promise<Monitor>
  stop(): Monitor
  on(name: string, listener: (item: Answer) => void): Monitor
  addUpdateMethod(updateMethod: unknown): Monitor
}

export interface Library {
  readonly Service: new (url: string) => {
    info(): Promise<Answer>
    assets(): Promise<Answer>
    apiEndpointFor(username: string, token: string): Promise<string>
    login(username: string, password: string, appId: string): Promise<Connection>
  }
  readonly Connection: new (endpoint: string) => Connection
  readonly Monitor: {
    new (endpoint: string, scope?: object): Monitor
    readonly UpdateMethod: {
      readonly Socket: new () => { socket?: object }
      readonly EventsTimer: new (rateMs: number) => object
    }
  }
}

const appId = 'client-test'
const password = 'a long secret'
const everything = { fromTime: 0, toTime: 9_999_999_999, limit: 10_000 }
const changes = { ...everything, modifiedSince: 0, state: 'all', includeDeletions: true }

/** Signs in, writes, reads and streams, sends files and data points, and deletes what it created. */
export async function tour(t: Test, { Connection, Service }: Library): Promise<void> {
  const made = await coffer(t)
  const service = new Service(`${made.server.url}/reg/service/info`)
  await made.http('POST', '/users', { username: 'daisy', password, email: 'daisy@example.com', appId })

  t.match(await service.info(), { name: 'Coffer', api: /\{username\}\/$/ })
  t.equal((await service.assets()).get('favicon:default:url'), 'favicon.ico')
  t.match(await service.apiEndpointFor('daisy', 'token'), /\/\/token@.*\/daisy\/$/)
  await t.rejects(service.login('daisy', 'wrong', appId), /username\/password pair is invalid/)
  const connection = await service.login('daisy', password, appId)
  t.equal(await (connection.username?.() ?? 'daisy'), 'daisy')
  if (connection.accessInfo) t.match(await connection.accessInfo(), { type: 'personal', name: appId })

  const results = await callInBatch(t, connection)
  t.match(await connection.get('events', { streams: ['heart'], limit: 1 }), { events: [{ content: 120 }] })
  t.match(await connection.post('streams', { id: 'signal', name: 'Signal' }), { stream: { id: 'signal' } })
  if (connection.apiOne)
    t.match(await connection.apiOne('streams.update', { id: 'signal', update: { name: 'S' } }, 'stream'), {
      name: 'S'
    })
  await stream(t, connection, results[2].event.id as string)
  await sendFiles(t, connection)
  await addPoints(t, connection)

  const granted = await connection.api([
    {
      method: 'accesses.create',
      params: { type: 'app', name: 'some-app', permissions: [{ streamId: 'heart', level: 'read' }] }
    }
  ])
  const app = new Connection(granted[0].access.apiEndpoint as string)
  t.match(await app.get('streams'), { streams: [{ id: 'heart' }] })
  if (app.revoke) t.match(await app.revoke(), { accessDeletion: { id: granted[0].access.id } })
}

async function callInBatch(t: Test, connection: Connection): Promise<Answer[]> {
  const progress: number[] = []
  const handled: Answer[] = []
  const event = { streamIds: ['heart'], type: 'frequency/bpm' }
  const results = await connection.api(
    [
      { method: 'streams.create', params: { id: 'heart', name: 'Heart' } },
      {
        method: 'events.create',
        params: { ...event, time: 1_385_046_854.282, content: 90 },
        handleResult: (result: Answer) => void handled.push(result)
      },
      { method: 'events.create', params: { ...event, time: 1_385_046_854.283, content: 120 } }
    ],
    percent => void progress.push(percent)
  )
  t.match(results, [{ stream: {} }, { event: { content: 90 } }, { event: { content: 120 } }])
  t.match(handled, [{ event: { content: 90 } }])
  t.equal(progress.at(-1), 100)
  return results
}

/** Streams events, with and without deletions: few, many and none. */
async function stream(t: Test, connection: Connection, id: string): Promise<void> {
  const texts = [
    '"quoted" ] } \\',
    'größer 漢字 🎉',
    '"eventDeletions":[',
    ...Array<string>(500).fill('one of many')
  ]
  const calls = texts.map(content => ({
    method: 'events.create',
    params: { streamIds: ['heart'], type: 'note/txt', content, time: 1_400_000_000 }
  }))
  for (const count of [0, 503]) {
    await connection.api(calls.slice(0, count))
    t.match(await streamed(connection, everything), { items: { length: count + 6 } }, 'without deletions')
    t.match(await streamed(connection, { types: ['mass/kg'] }), { items: [], body: { eventsCount: 0 } })
    t.match(await streamed(connection, changes), { deletions: 0 }, 'with deletions, of which there are none')
  }
  for (const count of [1, 3]) {
    if (count === 1) await deleteMany(connection, 1, [id])
    else await deleteMany(connection, 2, [])
    const { deletions, items } = await streamed(connection, changes)
    t.equal(deletions, count, `${count} deletions after many events`)
    const few = await streamed(connection, { ...changes, types: ['mass/kg'] })
    t.match(few, { deletions: count, items: { length: count } }, `${count} deletions after none`)
    t.equal(items.filter(item => 'deleted' in item).length, count)
  }
}

/** Trashes and deletes this many new events, or existing ones. */
async function deleteMany(connection: Connection, count: number, known: readonly string[]): Promise<void> {
  const ids = [...known]
  while (ids.length < count) {
    const { event } = await connection.post('events', { streamIds: ['heart'], type: 'note/txt', content: '' })
    ids.push(event.id as string)
  }
  await connection.api([...ids, ...ids].map(id => ({ method: 'events.delete', params: { id } })))
}

async function streamed(connection: Connection, query: object) {
  const items: Event[] = []
  const body = await connection.getEventsStreamed(query, event => void items.push(event))
  // The oldest versions return deletions with the rest of the response.
  const rest = (body.eventDeletions ?? []) as Event[]
  const deletions = (body.eventDeletionsCount ?? rest.length) as number
  return { items: [...items, ...rest], deletions, body }
}

async function sendFiles(t: Test, connection: Connection): Promise<void> {
  const bytes = randomBytes(50_000)
  const path = join(t.testdir(), 'my image.png')
  writeFileSync(path, bytes)
  const event = { type: 'picture/attached', streamIds: ['heart'] }
  const sent = [
    await connection.createEventWithFile(event, path),
    await connection.createEventWithFileFromBuffer?.(event, bytes, 'my image.png')
  ]
  for (const answer of sent.filter(Boolean))
    t.match(answer, { event: { attachments: [{ fileName: 'my image.png', size: bytes.length }] } })
}

async function addPoints(t: Test, connection: Connection): Promise<void> {
  const points = Array.from({ length: 1000 }, (_, at) => [at, Math.sin(at / 1000)])
  const added: Answer[] = []
  const results = await connection.api([
    {
      method: 'events.create',
      params: { streamIds: ['signal'], type: 'series:frequency/bpm' },
      handleResult: async ({ event }: Answer) =>
        void added.push(
          await connection.addPointsToHFEvent(event.id as string, ['deltaTime', 'value'], points)
        )
    }
  ])
  t.match(results, [{ event: { type: 'series:frequency/bpm' } }])
  t.match(added, [{ status: 'ok' }])
}

/** The add-ons of the library: calls and messages over a socket, and a monitor with both update methods. */
export async function liveTour(t: Test, library: Library): Promise<void> {
  const { alice, clock } = await coffer(t)
  await alice.stream('diary')
  await alice.event({ content: 'before' })
  const endpoint = endpointOf(alice)

  const socket = await new library.Connection(endpoint).socket.open()
  const heard: string[] = []
  for (const name of ['eventsChanged', 'streamsChanged']) socket.on(name, () => heard.push(name))
  const note = { streamIds: ['diary'], type: 'note/txt', content: 'by socket' }
  t.match(
    await socket.api([
      { method: 'events.get', params: { limit: 2 } },
      { method: 'events.create', params: note }
    ]),
    [{ events: [{ content: 'before' }] }, { event: { content: 'by socket' } }]
  )
  await until(() => heard.includes('eventsChanged'), 'eventsChanged')
  await alice.stream('work')
  await until(() => heard.includes('streamsChanged'), 'streamsChanged')
  socket.close?.()

  const { EventsTimer, Socket } = library.Monitor.UpdateMethod
  const bySocket = new Socket()
  for (const [method, isReady] of [
    [bySocket, () => bySocket.socket !== undefined],
    [new EventsTimer(20), () => true]
  ] as const) {
    const seen: string[] = []
    let created: Answer
    const monitor = new library.Monitor(endpoint, { limit: 100 })
    for (const name of ['event', 'eventDelete', 'error'])
      monitor.on(name, (item: Answer) => seen.push(`${name} ${item.content ?? item.id ?? item}`))
    // The monitor cannot be stopped during an update.
    const isStopped = new Promise<void>(resolve => {
      monitor.on('ready', () => {
        if (!seen.includes(`eventDelete ${created?.id}`) && !hasFailed(seen)) return
        monitor.stop()
        resolve()
      })
    })
    await monitor.addUpdateMethod(method).start()
    await until(isReady, 'the socket, opened after the first look')
    seen.length = 0
    clock.advance(1)
    created = await alice.event({ content: 'new' })
    const id = created.id as string
    await until(() => seen.includes('event new') || hasFailed(seen), 'the new event')
    for (let times = 0; times < 2; times++) {
      clock.advance(1)
      await alice.do('events.delete', { id })
    }
    await until(() => seen.includes(`eventDelete ${id}`) || hasFailed(seen), 'the deletion')
    await isStopped
    t.same(
      seen.filter(text => text.startsWith('error')),
      []
    )
  }
}

function hasFailed(seen: readonly string[]): boolean {
  return seen.some(text => text.startsWith('error'))
}

function endpointOf({ service, token, username }: Client): string {
  return apiEndpoint(service.server.dispatcher.services.config, username, token)
}
