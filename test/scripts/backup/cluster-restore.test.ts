/** One account of a backup comes back into a cluster whose nodes go on: over an engine in memory, broken off at every step. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Engine } from '../../../cluster/engine.js'
import { FileThread } from '../../../cluster/files/file-thread.js'
import { PlatformLog } from '../../../cluster/platform/log.js'
import { fixedShards } from '../../../core/call/shard.js'
import { bring } from '../../../scripts/backup/cluster/restore-into-cluster.js'
import { ClusterSource } from '../../../scripts/backup/sources/cluster-source.js'
import { DiskAttachments } from '../../../storage/files/attachments.js'
import { Layout } from '../../../storage/files/layout.js'
import type { Account } from '../../../storage/platform/account.js'
import { PlatformStore } from '../../../storage/platform/platform-store.js'
import type { Objects } from '../../../cluster/objects.js'
import { MemoryCluster } from '../../cluster/memory-engine.js'
import { begin, move, objects, startPair, type Node } from '../../cluster/anywhere/memory-nodes.js'
import { Client } from '../../support/coffer.js'
import { socketOf, until } from '../../support/socket.js'

t.setTimeout(600_000)

/** What a restore is broken off by. */
class Killed extends Error {}

interface World {
  readonly nodes: readonly [Node, Node]
  readonly account: Account
  /** The account's owner, at a node. */
  at(node: Node): Client
  /** Restores it. After so many of its steps nothing that it does arrives any more. */
  restore(steps?: number): Promise<'added' | 'replaced'>
  /** What there is: contents of notes, and of files, and the address. `undefined` if there is no account. */
  found(node: Node): Promise<{ notes: string[]; files: string[]; email: string } | undefined>
}

/** What the account has when it is backed up. */
const backedUp = { notes: ['a file', 'first'], files: ['bytes of a file'], email: 'old@example.com' }

async function start(t: Test): Promise<World> {
  const cluster = new MemoryCluster()
  await begin(t, cluster)
  const nodes = await startPair(t, cluster)
  const username = 'alice'
  const owner = nodes.find(node => node.owns(username))!
  const alice = await owner.service.user(username, { email: backedUp.email })
  await alice.stream('diary')
  await alice.event({ content: 'first' })
  await attach(alice, 'a file', 'bytes of a file')
  const account = owner.service.server.services.accounts.find(username)!
  const root = t.testdir()
  const side = new Layout(join(root, 'side'))
  await backUp(t, cluster, side, account)
  let runs = 0
  return {
    nodes,
    account,
    at: node => new Client(node.service, username, alice.access),
    async restore(steps = Infinity) {
      return await restored(cluster, side, new Layout(join(root, `run-${runs++}`)), account, steps)
    },
    async found(node) {
      const client = new Client(node.service, username, alice.access)
      const answer = await client.call('events.get', { streams: ['diary'], limit: 100 })
      if (answer.error?.id === 'unknown-resource') return undefined
      if (answer.error) throw new Error(JSON.stringify(answer.error))
      const events = answer.events as { id: string; content: string; attachments?: { id: string }[] }[]
      const paths = events.flatMap(({ attachments = [], id }) => attachments.map(file => `${id}/${file.id}`))
      const files = await Promise.all(
        paths.map(async path => (await client.http('GET', `/events/${path}`)).body as string)
      )
      const { account: values } = await client.do('account.get')
      return {
        notes: events.map(({ content }) => content).toSorted(),
        files,
        email: (values as { email: string }).email
      }
    }
  }
}

async function attach(client: Client, content: string, bytes: string): Promise<void> {
  const form = new FormData()
  form.append('event', JSON.stringify({ streamIds: ['diary'], type: 'note/txt', content }))
  form.append('file', new Blob([bytes], { type: 'text/plain' }), 'some.txt')
  const { status } = await client.http('POST', '/events', form)
  if (status !== 201) throw new Error(`Answered ${status}`)
}

/** Has the account below a folder, as a restore that has been checked does. */
async function backUp(t: Test, cluster: MemoryCluster, side: Layout, account: Account): Promise<void> {
  mkdirSync(side.draftsDirectory, { recursive: true })
  const files = new FileThread()
  t.teardown(() => files.close())
  const source = new ClusterSource(cluster.connect(), objects, files)
  await source.copyAccount(account, side)
  const keys = await objects.list(`file/${account.id}/`)
  for (const key of keys) {
    const path = side.attachmentFile(account.id, key.slice(key.lastIndexOf('/') + 1))
    mkdirSync(join(path, '..'), { recursive: true })
    await objects.get(key, path)
  }
  if ((await new DiskAttachments(side).list(account.id)).length !== keys.length)
    throw new Error('Attachments are missing')
}

async function restored(
  cluster: MemoryCluster,
  side: Layout,
  layout: Layout,
  account: Account,
  steps: number
): Promise<'added' | 'replaced'> {
  mkdirSync(layout.draftsDirectory, { recursive: true })
  let left = Infinity
  const mortal = <T extends object>(target: T, names: readonly string[]): T =>
    new Proxy(target, {
      get(_, name) {
        const value = Reflect.get(target, name, target) as unknown
        if (typeof value !== 'function') return value
        const call = value.bind(target) as (...given: unknown[]) => unknown
        if (!names.includes(String(name))) return call
        return async (...given: unknown[]) => {
          if (left-- <= 0) throw new Killed()
          return await call(...given)
        }
      }
    })
  const engine: Engine = mortal<Engine>(cluster.connect(), ['append', 'trim', 'send'])
  const ownObjects: Objects = mortal<Objects>(objects, ['put', 'remove'])
  const [files, platform] = [new FileThread(), new PlatformStore(layout)]
  const { draftsDirectory } = layout
  const log = await PlatformLog.open(platform, {
    engine,
    objects: ownObjects,
    draftsDirectory,
    giveUpMs: steps === Infinity ? 60_000 : 300,
    onTrouble: () => {}
  })
  try {
    left = steps
    const giveUpMs = steps === Infinity ? 60_000 : 300
    return await bring({ engine, objects: ownObjects, files, layout, platform, giveUpMs }, side, account)
  } finally {
    await log.close()
    platform.close()
    await files.close()
  }
}

/** Restores as often as it takes, each time with one more step. Calls `look` after each time that was broken off. */
async function untilDone(world: World, look: () => Promise<void>): Promise<number> {
  for (let steps = 0; ; steps++) {
    try {
      await world.restore(steps)
      return steps
    } catch {
      await look()
    }
  }
}

t.test('an account that is there', async t => {
  const world = await start(t)
  const { at, nodes, restore } = world
  const [n1, n2] = nodes
  const sockets = await Promise.all(nodes.map(async node => await socketOf(t, at(node))))
  await at(n2).do('account.update', { update: { email: 'new@example.com' } })
  await at(n1).event({ content: 'second' })
  await attach(at(n2), 'another file', 'other bytes')
  const { account: seen } = await at(n1).do('account.get')
  t.match(seen, { email: 'new@example.com' })

  for (const socket of sockets) await socket.news()
  t.equal(await restore(), 'replaced')
  for (const { heard } of sockets)
    await until(
      () => heard.includes('eventsChanged') && heard.includes('streamsChanged'),
      'who listens to be told'
    )
  for (const node of nodes) t.same(await world.found(node), backedUp)
  t.equal((await at(n1).call('account.update', { update: { email: 'new@example.com' } })).error, undefined)
  t.equal(
    (await at(n2).call('events.create', { streamIds: ['diary'], type: 'note/txt', content: 'on' })).error,
    undefined
  )

  await t.test('goes with its shard from then on', async t => {
    const from = nodes.find(node => node.owns('alice'))!
    const to = nodes.find(node => node !== from)!
    await move(from, to, fixedShards(64).indexOf('alice'))
    await until(() => to.owns('alice'), 'the shard to move')
    t.match((await world.found(to))?.notes, ['a file', 'first', 'on'])
  })
})

t.test('an account that is there, broken off at every step', async t => {
  const world = await start(t)
  const { account, at, nodes } = world
  await at(nodes[0]).do('account.update', { update: { email: 'new@example.com' } })
  await at(nodes[0]).event({ content: 'second' })
  const former = { notes: [...backedUp.notes, 'second'], files: backedUp.files, email: 'new@example.com' }
  const seen = new Set<string>()
  const steps = await untilDone(world, async () => {
    // A node that still has the former file may answer from it until it is told: not from anything in between.
    for (const node of nodes) {
      const found = await world.found(node)
      seen.add(JSON.stringify(found))
      if (JSON.stringify(found) !== JSON.stringify(former)) t.same(found, backedUp)
    }
  })
  t.comment(`${steps} steps`)
  t.ok(seen.has(JSON.stringify(former)))
  for (const node of nodes) t.same(await world.found(node), backedUp)
  const platform = nodes[0].service.server.services.platform
  await until(() => platform.findByUnique('email', 'new@example.com') === undefined, 'the address to be free')
  t.equal(platform.findByUnique('email', backedUp.email)?.id, account.id)
  t.equal((await objects.list(`snap/${account.id}/`)).length, 1, 'no snapshot of attempts is left')
})

t.test('an account that was deleted, broken off at every step', async t => {
  const world = await start(t)
  const { account, nodes } = world
  const owner = nodes.find(node => node.owns('alice'))!
  await owner.service.server.services.accounts.remove(account)
  for (const node of nodes) t.equal(await world.found(node), undefined)
  const accounts = owner.service.server.services.accounts
  const steps = await untilDone(world, async () => {
    const found = await world.found(owner)
    if (found) t.same(found, backedUp)
    // As the node does each minute that serves the user.
    else await accounts.endUnfinished(() => true)
  })
  t.comment(`${steps} steps`)
  for (const node of nodes) t.same(await world.found(node), backedUp)
})

t.test('what is taken stays', async t => {
  const world = await start(t)
  const { account, at, nodes, restore } = world
  await at(nodes[0]).do('account.update', { update: { email: 'new@example.com' } })
  await at(nodes[0]).event({ content: 'second' })
  await until(
    () =>
      nodes.every(({ service }) => !service.server.services.platform.findByUnique('email', backedUp.email)),
    'the address to be free'
  )
  const bob = await nodes[0].service.user('bob', { email: backedUp.email }).catch(() => undefined)
  if (!bob) await nodes[1].service.user('bob', { email: backedUp.email })
  await t.rejects(restore(), /alice cannot be added: another account has the same email/)
  t.match(await world.found(nodes[1]), { notes: ['a file', 'first', 'second'], email: 'new@example.com' })

  const owner = nodes.find(node => node.owns('alice'))!
  await owner.service.server.services.accounts.remove(account)
  await t.rejects(restore(), /another account has the same email/)
  t.equal(await world.found(nodes[1]), undefined)
  t.notOk((await objects.list(`file/${account.id}/`)).length, 'nothing is left of the attempt')
})
