/** Two nodes in one process, over an engine in memory: whichever is asked, the one that serves the user answers. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test, type Test } from 'tap'
import { beginPlatform } from '../../cluster/platform/beginning.js'
import { fixedShards } from '../../core/call/shard.js'
import { newId } from '../../core/ids.js'
import { silentLog } from '../../core/log.js'
import { ManualClock } from '../../core/time.js'
import { startServer } from '../../server/server.js'
import { Layout } from '../../storage/files/layout.js'
import { PlatformStore } from '../../storage/platform/platform-store.js'
import { Client, methodModules, Service, testSettings } from '../support/coffer.js'
import { connect, until } from '../support/socket.js'
import { MemoryCluster, type MemoryEngine } from './memory-engine.js'
import { MemoryObjects } from './memory-objects.js'
import { register } from './registration.js'

const objects = new MemoryObjects()
const bytes = Buffer.alloc(200_000, 'coffer')

class Node {
  constructor(
    readonly name: string,
    readonly engine: MemoryEngine,
    readonly service: Service
  ) {}

  owns(username: string): boolean {
    return this.service.server.services.accounts.owns({ username })
  }
}

async function startNode(t: Test, cluster: MemoryCluster, name: string): Promise<Node> {
  const directory = mkdtempSync(join(tmpdir(), 'coffer-node-'))
  const clock = new ManualClock()
  const engine = cluster.connect()
  const settings = testSettings(directory, {
    workers: 0,
    cluster: { node: name, engine: 'nats://memory', leaseSeconds: 2, takeoverSeconds: 4 },
    webhooks: { allowInternalTargets: true, minIntervalMs: 0 }
  })
  const server = await startServer(settings, {
    clock,
    methodModules,
    shared: { engine, objects },
    log: {
      ...silentLog,
      error: (message, fields) =>
        t.comment(
          name,
          message,
          String((fields?.cause as Error | undefined)?.stack),
          String((fields?.cause as Error | undefined)?.cause)
        )
    }
  })
  t.teardown(async () => {
    engine.isCutOff = false
    await server.close()
    rmSync(directory, { recursive: true, force: true })
  })
  return new Node(name, engine, new Service(server, clock, directory))
}

/** Begins the log of the platform, with no accounts. */
async function begin(t: Test, cluster: MemoryCluster): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'coffer-begin-'))
  const layout = new Layout(directory)
  const platform = new PlatformStore(layout)
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  await beginPlatform(platform, { engine: cluster.connect(), objects, draftsDirectory: directory })
  platform.close()
}

/** Makes a user whom a node serves. */
async function userAt(nodes: readonly Node[], username: string): Promise<Node> {
  await until(() => nodes.some(node => node.owns(username)), 'somebody to serve the user')
  const owner = nodes.find(node => node.owns(username))!
  const { access } = await owner.service.call(undefined, 'test.createUser', { username })
  tokens.set(username, access)
  const client = new Client(owner.service, username, access)
  await client.stream('diary')
  return owner
}
const tokens = new Map<string, Client['access']>()

function client(node: Node, username: string): Client {
  return new Client(node.service, username, tokens.get(username)!)
}

/** Names that are served by a node, by trial. */
function nameAt(node: Node, nth: number): string {
  const names = Array.from({ length: 400 }, (_, index) => `user-${index}`).filter(name => node.owns(name))
  return names[nth]!
}

test('two nodes', async t => {
  const cluster = new MemoryCluster()
  await begin(t, cluster)
  const [n1, n2] = (await Promise.all(['n1', 'n2'].map(name => startNode(t, cluster, name)))) as [Node, Node]
  const shards = fixedShards(64)
  const shared = (): boolean =>
    Array.from({ length: 400 }, (_, index) => `user-${index}`).every(
      name => [n1, n2].filter(node => node.owns(name)).length === 1
    )
  await until(shared, 'the shards to be shared')
  const alice = nameAt(n1, 0)
  await userAt([n1, n2], alice)
  const [here, there] = [client(n1, alice), client(n2, alice)]

  await t.test('answer alike, whichever is asked', async t => {
    const event = await there.event({ content: 'written elsewhere' })
    t.match(await here.call('events.getOne', { id: event.id }), { event: { content: 'written elsewhere' } })
    t.match(await there.call('events.getOne', { id: event.id }), { event: { content: 'written elsewhere' } })
    t.match(await there.http('GET', `/events/${event.id}`), { status: 200 })
    t.match(await there.call('events.getOne', { id: 'cunknown' }), { error: { id: 'unknown-resource' } })
    t.match(await n2.service.call(alice, 'events.get', {}, 'wrong'), {
      error: { id: 'invalid-access-token' }
    })
    t.match(await n2.service.call('nobody-here', 'events.get', {}, 'wrong'), {
      error: { id: 'unknown-resource' }
    })
  })

  await t.test('take files in and give them out, whichever is asked', async t => {
    const form = new FormData()
    form.append('event', JSON.stringify({ streamIds: ['diary'], type: 'note/txt', content: 'with a file' }))
    form.append('file', new Blob([bytes]), 'some.bin')
    const headers = { authorization: there.token }
    const sent = await fetch(`${n2.service.server.url}/${alice}/events`, {
      method: 'POST',
      headers,
      body: form
    })
    t.equal(sent.status, 201)
    const { event } = (await sent.json()) as { event: { id: string; attachments: { id: string }[] } }
    const [attachment] = event.attachments
    for (const { service } of [n1, n2]) {
      const url = `${service.server.url}/${alice}/events/${event.id}/${attachment!.id}`
      const got = await fetch(url, { headers })
      t.equal(got.status, 200)
      t.ok(Buffer.from(await got.arrayBuffer()).equals(bytes))
    }
    t.same(await objects.list('lent/'), [], 'nothing stays lent')
  })

  await t.test('give a name away once, whoever is asked at the same time', async t => {
    for (const [index, owner] of [n1, n2].entries()) {
      const username = nameAt(owner, index + 20)
      const asked = [n1, n2, n1, n2].map(node => register(node.service.server.url, username))
      const answers = await Promise.all(asked)
      t.same(answers.map(({ status }) => status).toSorted(), [201, 409, 409, 409], username)
    }
  })

  await t.test('send the copy of an account, and forget one that is deleted', async t => {
    const username = nameAt(n1, 30)
    await userAt([n1, n2], username)
    const { token } = client(n2, username)
    const headers = { authorization: token }
    const copy = await fetch(`${n2.service.server.url}/${username}/account/export`, { headers })
    t.equal(copy.status, 200)
    t.equal(Buffer.from(await copy.arrayBuffer()).toString('latin1', 0, 2), 'PK')
    t.same(await objects.list('lent/'), [], 'nothing stays lent')
    const { accounts, platform } = n1.service.server.services
    const { id } = accounts.find(username)!
    const file = new Layout(n2.service.directory).userFile(id)
    // As if this node had served it once.
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, 'of old')
    await accounts.remove(accounts.find(username)!)
    t.equal(platform.findById(id), undefined)
    await until(() => !existsSync(file), 'the file of the other node to go')
    t.match(await n2.service.call(username, 'events.get', {}, token), { error: { id: 'unknown-resource' } })
  })

  await t.test('end what a node left unfinished whose shards are taken', async t => {
    const username = nameAt(n2, 40)
    const { platform } = n2.service.server.services
    const id = newId()
    await platform.change('claim', { id, username, created: 0, unique: {} })
    t.match(await register(n1.service.server.url, username), { status: 409 })
    await move(n2, n1, shards.indexOf(username))
    await until(() => !platform.findById(id), 'the claim to be given back')
    t.match(await register(n1.service.server.url, username), { status: 201 })
  })

  await t.test('pass long answers on, page by page', async t => {
    const content = 'x'.repeat(100_000)
    for (let index = 0; index < 60; index++) await here.event({ content })
    const { body, status } = await there.http('GET', '/events?limit=100')
    t.equal(status, 200)
    t.ok(body.events.length >= 60)
    const batch = await there.http('POST', '', [{ method: 'events.get', params: { limit: 100 } }])
    t.equal(batch.body.results[0].events.length, body.events.length)
  })

  await t.test('tell sockets of the other of changes, and of a move', async t => {
    const socket = await connect(t, n2.service.server.url, alice, tokens.get(alice)!.token)
    await here.event()
    await until(() => socket.heard.includes('eventsChanged'), 'the change')
    await socket.call('subscribe', { key: 'diary', kind: 'events', query: { streams: ['diary'] } })
    t.match(await socket.call('getSubscriptions'), { scopes: { diary: {} } })
    await socket.call('unsubscribe', { all: true })
    await socket.news()
    await move(n1, n2, shards.indexOf(alice))
    await until(() => socket.heard.length >= 3, 'what may have been missed')
    t.same(await socket.news(), ['accessesChanged', 'eventsChanged', 'streamsChanged'])
    await here.event({ content: 'after the move' })
    await until(() => socket.heard.includes('eventsChanged'), 'the change after the move')
    t.ok(n2.owns(alice))
  })

  await t.test('hold calls while a shard moves, without an error', async t => {
    const errors: unknown[] = []
    const work = { isOver: false, written: 0 }
    const write = async (each: Client): Promise<void> => {
      while (!work.isOver) {
        const { error } = await each.call('events.create', {
          streamIds: ['diary'],
          type: 'note/txt',
          content: 'x'
        })
        if (error) errors.push(error)
        else work.written++
      }
    }
    const { events: before } = await here.do('events.get', { limit: 100_000 })
    const writing = [here, there, here, there].map(write)
    for (let times = 1; times <= 6; times++) {
      await move(n2.owns(alice) ? n2 : n1, n2.owns(alice) ? n1 : n2, shards.indexOf(alice))
      await until(() => work.written + errors.length >= 5 * times, 'some events')
    }
    work.isOver = true
    await Promise.all(writing)
    const { events } = await there.do('events.get', { limit: 100_000 })
    t.same(errors, [])
    t.equal(events.length, before.length + work.written)
  })

  await t.test('answer nothing without the engine, and all is well after it', async t => {
    const owner = n1.owns(alice) ? n1 : n2
    const other = owner === n1 ? n2 : n1
    owner.engine.isCutOff = true
    await until(
      async () =>
        (await client(owner, alice).call('events.get', { limit: 1 })).error?.id === 'api-unavailable',
      'reads to end'
    )
    t.match(await client(owner, alice).http('GET', '/events'), {
      status: 503,
      headers: { get: Function },
      body: { error: { id: 'api-unavailable' } }
    })
    const ready = await fetch(`${owner.service.server.url}/readyz`)
    t.equal(ready.status, 503)
    await until(() => other.owns(alice), 'the other node to take over')
    owner.engine.isCutOff = false
    await until(shared, 'the shards to be shared')
    for (const each of [here, there])
      await until(async () => !(await each.call('events.get', { limit: 1 })).error, 'reads')
  })
})

/** Has a node move a shard, as `coffer cluster move` does. */
async function move(from: Node, to: Node, shard: number): Promise<void> {
  const message = Buffer.from(JSON.stringify({ do: 'move', shard, to: to.name }))
  const answer = await from.engine.send(from.name, message, 5000)
  const { message: said, ok } = JSON.parse(Buffer.from(answer).toString()) as {
    ok: boolean
    message: string
  }
  if (!ok) throw new Error(said)
}
