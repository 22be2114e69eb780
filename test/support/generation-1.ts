/** What the first generation of the client library (`pryv` 1.x) does with an account, with callbacks. */
import dns from 'node:dns'
import { request } from 'node:http'
import type { Test } from 'tap'
import { coffer, type Answer, type Client, type Overrides } from './coffer.js'
import { until } from './socket.js'

/** The library addresses accounts only by host name. */
const domain = 'coffer.test'

type Callback = (error: unknown, ...results: Answer[]) => void
// oxlint-disable-next-line no-explicit-any -- the library has no types, and is inspected freely
type Anything = any

/** Resolves every host of the domain to this machine, for the duration of the test. */
function resolveHere(t: Test): void {
  const { lookup } = dns
  const here = { address: '127.0.0.1', family: 4 }
  const patched = (host: string, options: dns.LookupAllOptions, done: Anything): void => {
    if (!host.endsWith(domain)) return lookup(host, options, done)
    process.nextTick(() => (options.all ? done(null, [here]) : done(null, here.address, here.family)))
  }
  dns.lookup = patched as typeof lookup
  t.teardown(() => void (dns.lookup = lookup))
}

/** Resolves with the result of a function whose last argument is a callback: the first result if there are several. */
function done(target: Anything, method: string, ...args: unknown[]): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const callback: Callback = (error, result) => (error ? reject(error) : resolve(result))
    target[method](...args, callback)
  })
}

export interface Features {
  /** Updates contain fields that only the service sets: the operator must configure that these are ignored. */
  readonly sendsProtectedFields?: true
  /** The library can read files. */
  readonly readsFiles?: true
  /** The socket uses a supported version of the protocol. */
  readonly hasSocket?: true
}

export async function tour(t: Test, library: Anything, features: Features): Promise<void> {
  resolveHere(t)
  const overrides: Overrides = { domain, ignoreProtectedFieldUpdates: features.sendsProtectedFields ?? false }
  const { alice, server } = await coffer(t, overrides)
  const port = Number(new URL(server.url).port)
  const connect = (): Anything =>
    new library.Connection({ username: 'alice', auth: alice.token, domain, port, ssl: false })
  const connection = connect()

  t.equal(await signInStatus(alice, port), 401, 'signing in is understood, with a slash at the end')
  t.match(await done(connection, 'accessInfo'), { type: 'personal' })
  t.match(await done(connection.streams, 'create', { id: 'diary', name: 'Diary' }), { id: 'diary' })
  await done(connection.streams, 'create', { name: 'Child', parentId: 'diary' })
  const streams = (await done(connection.streams, 'get', null)) as Anything[]
  t.match(streams.find(({ id }) => id === 'diary')?.children, [{ name: 'Child' }])
  t.ok((await done(connect(), 'fetchStructure')).length > 0)
  await done(connection.streams, 'update', { id: 'diary', name: 'My diary', parentId: null, trashed: false })

  await events(t, library, connection)
  await files(t, library, connection, features)

  const access = { name: 'For x', permissions: [{ streamId: 'diary', level: 'read' }] }
  const { id } = await done(connection.accesses, 'create', access)
  t.ok((await done(connection.accesses, 'get')).length > 1)
  await done(connection.accesses, 'delete', id)
  const bookmark = { name: 'b', url: 'https://bob.example.com', accessToken: 'a-token' }
  await done(connection.bookmarks, 'create', bookmark)
  t.equal((await done(connection.bookmarks, 'get')).length, 1)
  await monitor(t, library, connect(), alice, features)
}

/** Returns the status of the library's sign-in request: no user has a password here. */
function signInStatus({ username }: Client, port: number): Promise<number | undefined> {
  const headers = { 'content-type': 'application/json', origin: `https://sw.${domain}` }
  return new Promise((resolve, reject) => {
    const options = { host: `${username}.${domain}`, port, path: '/auth/login/', method: 'POST', headers }
    const login = request(options, ({ statusCode }) => resolve(statusCode))
    login.on('error', reject).end(JSON.stringify({ username, password: 'a guess', appId: 'client-test' }))
  })
}

async function events(t: Test, { Filter }: Anything, connection: Anything): Promise<void> {
  const note = await done(connection.events, 'create', {
    streamId: 'diary',
    type: 'note/txt',
    content: 'hello'
  })
  t.match(note, { id: String, createdBy: String })
  await done(connection.events, 'create', {
    streamId: 'diary',
    type: 'mass/kg',
    content: 70,
    tags: ['a'],
    time: 100
  })
  t.equal((await done(connection.events, 'get', new Filter({ limit: 2 }))).length, 2)
  const filter = { streams: ['diary'], types: ['note/txt'], fromTime: -1e9, toTime: 1e10, state: 'all' }
  const changed = { ...filter, limit: 10, modifiedSince: -1e8, includeDeletions: true }
  t.match(await done(connection.events, 'get', changed), [{ content: 'hello' }])
  note.content = 'changed'
  await done(connection.events, 'update', note)
  const many = ['b1', 'b2'].map(content => ({ streamId: 'diary', type: 'note/txt', content }))
  t.equal((await done(connection.events, 'batchWithData', many)).length, 2)
  await done(connection.events, 'delete', note)
  await done(connection.events, 'delete', note)
  t.match(await done(connection.events, 'get', changed), { length: 2, eventDeletions: [{ id: note.id }] })
}

async function files(
  t: Test,
  { utility }: Anything,
  connection: Anything,
  { readsFiles }: Features
): Promise<void> {
  const form = (text: string): Anything =>
    utility.forgeFormData('attachment0', Buffer.from(text), { type: 'text/plain', filename: `${text}.txt` })
  const event = { streamId: 'diary', type: 'file/attached' }
  const { attachments, id } = await done(connection.events, 'createWithAttachment', event, form('first'))
  t.match(attachments, [{ fileName: 'first.txt', size: 5 }])
  t.match(await done(connection.events, 'addAttachment', id, form('second')), { attachments: { length: 2 } })
  if (!readsFiles) return
  const file = { eventId: id, fileId: attachments[0].id }
  let text = ''
  for await (const chunk of await done(connection.events, 'getAttachment', file)) text += String(chunk)
  t.equal(text, 'first')
}

/** Loads existing events and, if the socket works, receives later ones. */
async function monitor(
  t: Test,
  { Filter, MESSAGES }: Anything,
  connection: Anything,
  alice: Client,
  { hasSocket }: Features
): Promise<void> {
  await done(connection, 'fetchStructure')
  const following = connection.monitor(new Filter({ limit: 100 }))
  const { ON_ERROR, ON_EVENT_CHANGE, ON_LOAD } = MESSAGES.MONITOR
  const seen: string[] = []
  following.addEventListener(ON_LOAD, ({ length }: Answer) => seen.push(`loaded ${length > 0}`))
  following.addEventListener(ON_ERROR, (error: unknown) => seen.push(`error ${JSON.stringify(error)}`))
  following.addEventListener(ON_EVENT_CHANGE, ({ created }: Answer) => {
    if (created.length > 0) seen.push(`created ${created[0].content}`)
  })
  await done(following, 'start')
  await until(() => seen.length > 0, 'what is there')
  if (hasSocket) {
    const { ioSocket } = connection.monitors
    await until(() => ioSocket.connected, 'the socket')
    await alice.event({ content: 'live' })
    await until(() => seen.length > 1, 'the new event')
  }
  t.same(seen, hasSocket ? ['loaded true', 'created live'] : ['loaded true'])
  following.destroy()
  connection.monitors.ioSocket?.disconnect()
}
