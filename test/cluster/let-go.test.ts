/** A node forgets what it caches of an account besides its file once another node may serve it. */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import t from 'tap'
import type { Outcome } from '../../core/call/outcome.js'
import { nodeKey, parseNodeState } from '../../cluster/nodes/node-state.js'
import { shardKey } from '../../cluster/nodes/shard-placement.js'
import { platformSubject } from '../../cluster/platform/record.js'
import { ShippedLogs } from '../../cluster/shipped-log.js'
import { createFixedShards } from '../../core/call/shard.js'
import { Layout } from '../../storage/files/layout.js'
import { Client, type Answer } from '../support/coffer.js'
import { Random } from '../support/random.js'
import { inRotation } from '../support/rotation.js'
import { until } from '../support/socket.js'
import { begin, client, move, nameAt, startPair, userAt, type Node } from './anywhere/memory-nodes.js'
import { MemoryCluster } from './memory-engine.js'
import { MemoryLog } from './memory-log.js'
import { MemoryObjects } from './memory-objects.js'
import { Nodes } from './nodes.js'

t.setTimeout(900_000)

const shards = createFixedShards(64)

t.test('a cached validator is not confirmed after another node has written', async t => {
  const shared = {
    log: new MemoryLog(),
    objects: new MemoryObjects(),
    snapshotBytes: 1e9,
    getSubject: (id: string) => id
  }
  const nodes = new Nodes(t, shared, new Random(1))
  await nodes.start(2, 1)
  const { account, token } = nodes.person(0)
  const owner = async (node: number, method: string, params: object): Promise<Answer> =>
    await nodes.at(node).call(account.username, method, params, token)
  const permissions = [{ streamId: 'diary', level: 'read' }]
  const { access } = await owner(0, 'accesses.create', { name: 'reader', type: 'shared', permissions })
  const reader = access.token as string
  const ask = async (known: string): Promise<Outcome> =>
    await nodes.at(0).server.dispatcher.call({
      user: account.username,
      method: 'events.get',
      params: { limit: 5 },
      credentials: { ip: '127.0.0.1', via: 'http', authorization: reader, ifNoneMatch: known }
    })
  const first = await ask('')
  const validator = `"${first.ok ? first.validator : ''}"`
  t.match(await ask(validator), { ok: true, isUnchanged: true })
  await nodes.at(0).server.services.accounts.handover.release(account)
  await owner(1, 'events.create', { streamIds: ['diary'], type: 'note/txt', content: 'elsewhere' })
  await nodes.at(1).server.services.accounts.handover.release(account)
  const again = await ask(validator)
  t.match(again, { ok: true, members: /elsewhere/ })
  t.notOk(again.ok && again.isUnchanged)
})

/** A log whose next append waits until it is released. */
class HeldLog extends MemoryLog {
  #gate: Promise<void> | undefined
  #reached = (): void => {}

  /** Resolves once an append waits, with a function that releases it. */
  async hold(): Promise<() => void> {
    let open!: () => void
    this.#gate = new Promise(resolve => (open = resolve))
    await new Promise<void>(resolve => (this.#reached = resolve))
    return open
  }

  override async append(subject: string, expected: number, bytes: Uint8Array): Promise<number> {
    const gate = this.#gate
    this.#gate = undefined
    if (gate) this.#reached()
    await gate
    return await super.append(subject, expected, bytes)
  }
}

t.test('an account whose takeover is pending is released with the others', async t => {
  const log = new HeldLog()
  const shared = { log, objects: new MemoryObjects(), snapshotBytes: 1e9, getSubject: (id: string) => id }
  const nodes = new Nodes(t, shared, new Random(1))
  await nodes.start(2, 1)
  const { account, token } = nodes.person(0)
  const { accounts } = nodes.at(0).server.services
  const note = { streamIds: ['diary'], type: 'note/txt', content: 'elsewhere' }
  await accounts.handover.release(account)
  const held = log.hold()
  const ready = accounts.waitUntilReady(account)
  const open = await held
  const going = accounts.handover.releaseUnless(() => false)
  open()
  await Promise.allSettled([ready, going])
  t.notOk(
    await nodes
      .at(1)
      .call(account.username, 'events.create', note, token)
      .then(({ error }) => error)
  )
  await nodes.at(1).server.services.accounts.handover.release(account)
  const { events } = await nodes.at(0).call(account.username, 'events.get', {}, token)
  t.match(events, [{ content: 'elsewhere' }], 'what the other node has written is read')
})

t.test('an account is released even if the outcome of its last commit is unknown', async t => {
  const log = new HeldLog()
  const shared = { log, objects: new MemoryObjects(), snapshotBytes: 1e9, getSubject: (id: string) => id }
  const nodes = new Nodes(t, shared, new Random(1))
  await nodes.start(2, 1)
  const { account, token } = nodes.person(0)
  const write = async (node: number, content: string): Promise<Answer> => {
    const note = { streamIds: ['diary'], type: 'note/txt', content }
    return await nodes.at(node).call(account.username, 'events.create', note, token)
  }
  const read = async (node: number): Promise<Answer> =>
    await nodes.at(node).call(account.username, 'events.get', { streams: ['diary'] }, token)
  const [first, second] = [0, 1].map(index => nodes.at(index).server.services.accounts)
  t.match(await write(0, 'before'), { event: {} })
  const held = log.hold()
  const written = write(0, 'doubtful')
  const open = await held
  const before = log.entries(account.id).length
  t.match(await written, { error: { id: 'api-unavailable' } })
  // The record of this call cannot be written any more.
  t.match(await read(0), { error: { id: 'api-unavailable' } })
  await first!.handover.releaseUnless(() => false)
  t.same(nodes.node(0).logs.listHeld(), [])
  open()
  await until(() => log.entries(account.id).length > before, 'the commit to arrive')
  t.match(await write(1, 'elsewhere'), { event: {} })
  await second!.handover.release(account)
  const { events } = await read(0)
  const contents = (events as Answer[]).map(({ content }) => content as string)
  t.same(contents.toSorted(), ['before', 'doubtful', 'elsewhere'])
})

const rarely = inRotation(t, 2)

void rarely('an account created while its shard moves is released too', async t => {
  const cluster = new MemoryCluster()
  await begin(t, cluster)
  const [n1, n2] = await startPair(t, cluster)
  const username = nameAt(n1, 0)
  const { append, register } = n1.engine
  const { cas } = register
  const isNoted = new Promise<void>(resolve => {
    n1.engine.append = async (subject, ...rest) => {
      const sequence = await append.call(n1.engine, subject, ...rest)
      if (!subject.startsWith('coffer.wal.')) return sequence
      // Its first record is in its log; it can only be activated when the shard is about to move.
      n1.engine.silent.add(platformSubject)
      resolve()
      return sequence
    }
  })
  const making = n1.service.user(username)
  register.cas = async (key, ...rest) => {
    if (key.startsWith('shard.')) {
      n1.engine.silent.clear()
      await making
    }
    return await cas(key, ...rest)
  }
  await isNoted
  await move(n1, n2, shards.indexOf(username))
  const here = await making
  const there = new Client(n2.service, username, here.access)
  await there.stream('diary')
  await there.event({ content: 'written elsewhere' })
  await move(n2, n1, shards.indexOf(username))
  const { events } = await here.call('events.get', { streams: ['diary'] })
  t.match(events, [{ content: 'written elsewhere' }])
})

void rarely('an account whose shard another node claims is released too', async t => {
  const cluster = new MemoryCluster()
  await begin(t, cluster)
  const [n1, n2] = await startPair(t, cluster)
  const username = nameAt(n1, 0)
  const shard = shards.indexOf(username)
  await userAt([n1, n2], username)
  /** Makes the shard's register name another node, as a repair may. */
  const place = async (from: Node, to: Node): Promise<void> => {
    const { register } = from.engine
    const { bytes, revision } = (await register.get(shardKey(shard)))!
    const [former, next] = await Promise.all(
      [from, to].map(async ({ name }) => parseNodeState((await register.get(nodeKey(name)))!))
    )
    t.match(JSON.parse(Buffer.from(bytes).toString()), { node: from.name, incarnation: former!.incarnation })
    const placed = { node: to.name, incarnation: next!.incarnation, schema: next!.schema, pin: to.name }
    await register.cas(shardKey(shard), revision, Buffer.from(JSON.stringify(placed)))
    await until(() => to.owns(username) && !from.owns(username), 'the shard to be elsewhere')
  }
  const [here, there] = [client(n1, username), client(n2, username)]
  await here.event({ content: 'first' })
  await place(n1, n2)
  await there.event({ content: 'second' })
  await place(n2, n1)
  const { events } = await here.do('events.get', { streams: ['diary'] })
  const contents = (events as Answer[]).map(({ content }) => content as string)
  t.same(contents.toSorted(), ['first', 'second'])
})

t.test('an account is not taken over by a node that does not serve it', async t => {
  const log = new HeldLog()
  const objects = new MemoryObjects()
  const shared = { log, objects, snapshotBytes: 1e9, getSubject: (id: string) => id }
  const nodes = new Nodes(t, shared, new Random(1))
  await nodes.start(1, 1)
  const { account } = nodes.person(0)
  await nodes.at(0).server.services.accounts.handover.release(account)
  let isServed = false
  const layout = new Layout(t.testdir())
  const options = { ...shared, layout, timeoutMs: 1000, isServedHere: () => isServed, onError: t.fail }
  const logs = new ShippedLogs(options)
  t.teardown(() => logs.close())
  const before = log.entries(account.id).length
  await t.rejects(async () => await logs.waitUntilReady(account.id), { name: 'StoreUnavailable' })
  t.equal(log.entries(account.id).length, before)
  // Nor by one that stops serving it meanwhile.
  isServed = true
  const held = log.hold()
  const ready = logs.waitUntilReady(account.id)
  const open = await held
  isServed = false
  open()
  await t.rejects(async () => await ready, { name: 'StoreUnavailable' })
  t.same(logs.listHeld(), [])
  isServed = true
  await logs.waitUntilReady(account.id)
  t.same(logs.listHeld(), [account.id])
})

t.test('files without a log are not removed while the log may be out of date', async t => {
  const log = new MemoryLog()
  const shared = { log, objects: new MemoryObjects(), snapshotBytes: 1e9, getSubject: (id: string) => id }
  const nodes = new Nodes(t, shared, new Random(1))
  await nodes.start(1, 1)
  const { account } = nodes.person(0)
  await nodes.at(0).server.services.accounts.handover.release(account)
  let isCertain = true
  const options = { ...shared, layout: new Layout(t.testdir()), timeoutMs: 1000, onError: t.fail }
  const logs = new ShippedLogs({ ...options, isCertain: () => isCertain })
  t.teardown(() => logs.close())
  await t.rejects(async () => await logs.assertWriter(account.id), { name: 'StoreUnavailable' })
  await logs.waitUntilReady(account.id)
  await t.resolves(async () => await logs.assertWriter(account.id))
  isCertain = false
  await t.rejects(async () => await logs.assertWriter(account.id), { name: 'StoreUnavailable' })
})

t.test(
  'a deleted account leaves nothing, and cannot be restored by a node that still has its file',
  async t => {
    const log = new MemoryLog()
    const objects = new MemoryObjects()
    const nodes = new Nodes(t, { log, objects, snapshotBytes: 0, getSubject: id => id }, new Random(1))
    await nodes.start(2, 1)
    const { account, token } = nodes.person(0)
    const note = { streamIds: ['diary'], type: 'note/txt', content: randomBytes(100_000).toString('base64') }
    while (objects.keys.length === 0) await nodes.at(0).call(account.username, 'events.create', note, token)
    t.match(await nodes.at(1).call(account.username, 'events.get', {}, token), { events: [{}] })
    const [first, second] = [0, 1].map(index => nodes.at(index).server.services.accounts)
    await first!.remove(account)
    // A node may be storing a snapshot.
    await until(() => objects.keys.length === 0, 'no snapshots')
    t.equal(log.entries(account.id).length, 1)
    const folder = (node: number): boolean =>
      existsSync(new Layout(nodes.at(node).directory).userDirectory(account.id))
    t.notOk(folder(0))
    t.match(await nodes.at(1).call(account.username, 'events.create', note, token), {
      error: { id: 'api-unavailable' }
    })
    t.match(await nodes.at(1).call(account.username, 'events.get', {}, token), {
      error: { id: 'api-unavailable' }
    })
    t.equal(log.entries(account.id).length, 1)
    await second!.handover.removeFiles(account.id)
    t.notOk(folder(1))
  }
)

/** Objects of which snapshots are stored only when they are released. */
class HeldObjects extends MemoryObjects {
  release!: () => void
  waiting = 0
  readonly #gate = new Promise<void>(resolve => (this.release = resolve))

  override async put(key: string, path: string): Promise<void> {
    this.waiting++
    await this.#gate
    await super.put(key, path)
  }
}

for (const place of ['the node that deletes it', 'another node'])
  void rarely(`a snapshot that ${place} stores of a deleted account does not remain`, async t => {
    const objects = new HeldObjects()
    const shared = { log: new MemoryLog(), objects, snapshotBytes: 0, getSubject: (id: string) => id }
    const nodes = new Nodes(t, shared, new Random(1))
    await nodes.start(2, 1)
    const { account, token } = nodes.person(0)
    const note = { streamIds: ['diary'], type: 'note/txt', content: randomBytes(100_000).toString('base64') }
    while (objects.waiting === 0) await nodes.at(0).call(account.username, 'events.create', note, token)
    await nodes.at(place === 'another node' ? 1 : 0).server.services.accounts.remove(account)
    objects.release()
    // Waits for the snapshot.
    await nodes.at(0).server.close()
    t.same(objects.keys, [])
  })
