/** What nodes find when they return, and what they leave behind, over an in-memory engine. */
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { mock } from 'node:test'
import { test } from 'tap'
import { startMaintenance } from '../../../core/platform/maintenance-jobs.js'
import { deleteDue } from '../../../core/platform/remove-account.js'
import { createFixedShards } from '../../../core/call/shard.js'
import { createId } from '../../../core/ids.js'
import { Layout } from '../../../storage/files/layout.js'
import { readOwner } from '../../../storage/platform/owner.js'
import { connect, until } from '../../support/socket.js'
import { MemoryCluster } from '../memory-engine.js'
import type { MemoryObjects } from '../memory-objects.js'
import {
  adminKey,
  begin,
  client,
  longTimes,
  move,
  nameAt,
  objects,
  startNode,
  startPair,
  tokens,
  userAt,
  type Node
} from './memory-nodes.js'

const shards = createFixedShards(64)

test('a node that returns to the cluster', async t => {
  const cluster = new MemoryCluster()
  await begin(t, cluster)
  const directory = mkdtempSync(join(tmpdir(), 'coffer-away-'))
  const before = await startNode(t, cluster, 'n2', directory, longTimes)
  await until(() => Array.from({ length: 64 }).every((_, shard) => ownsShard(before, shard)), 'all shards')
  const [gone, kept] = [nameAt(before, 0), nameAt(before, 1)]
  for (const username of [gone, kept]) await userAt([before], username)
  const { accounts } = before.service.server.services
  const [goneId, keptId] = [accounts.find(gone)!.id, accounts.find(kept)!.id]
  await before.service.server.close()

  const n1 = await startNode(t, cluster, 'n1', undefined, longTimes)
  await until(() => n1.owns(gone) && n1.owns(kept), 'the other node to take over')
  t.notOk((await client(n1, kept).call('events.get', {})).error)
  const layout = new Layout(directory)
  t.ok(existsSync(layout.userFile(goneId)))
  const aside = join(layout.asideDirectory, goneId, 'user.sqlite')
  mkdirSync(dirname(aside), { recursive: true })
  writeFileSync(aside, 'of old')
  const here = n1.service.server.services
  await here.accounts.remove(here.accounts.find(gone)!)

  const n2 = await startNode(t, cluster, 'n2', directory, longTimes)
  await until(() => !existsSync(layout.userDirectory(goneId)), 'the folder of the removed account to go')
  await until(() => !existsSync(dirname(aside)), 'what was set aside of it to go')
  t.ok(existsSync(layout.userFile(keptId)), 'what is of use stays')
  t.notOk((await client(n2, kept).call('events.get', {})).error)
})

test('a file that was received by another node', async t => {
  const cluster = new MemoryCluster()
  await begin(t, cluster)
  const [n1, n2] = await startPair(t, cluster)
  const usernames = [nameAt(n1, 0), nameAt(n1, 1)] as const
  for (const username of usernames) await userAt([n1, n2], username)
  const { accounts } = n1.service.server.services
  const ids = usernames.map(username => accounts.find(username)!.id)
  for (const username of usernames) await move(n1, n2, shards.indexOf(username))
  await until(() => usernames.every(username => n2.owns(username)), 'the shards to move')

  for (const { service } of [n1, n2]) {
    const { body, status } = await service.http('GET', '/system/check-platform-integrity', undefined, {
      authorization: adminKey
    })
    t.equal(status, 200)
    const [, files] = body.checks
    t.match(files, { title: 'Account databases', infos: { checked: 2 } })
    t.same(
      body.checks.flatMap(({ errors }: { errors: string[] }) => errors),
      [],
      'is looked at although nobody has asked for it'
    )
  }
  const layout = new Layout(n2.service.directory)
  for (const [index, id] of ids.entries()) {
    const { created } = accounts.find(usernames[index]!)!
    t.same(readOwner(layout, id), { username: usernames[index], created }, 'says whose it is')
  }
})

test('a claim that is completed while unfinished claims are cleaned up', async t => {
  const cluster = new MemoryCluster()
  await begin(t, cluster)
  const node = await startNode(t, cluster, 'n1', undefined, longTimes)
  await until(() => Array.from({ length: 64 }).every((_, shard) => ownsShard(node, shard)), 'all shards')
  const { accounts, platform } = node.service.server.services
  const claimed = async (username: string, id: string): Promise<string> => {
    t.same(await platform.change('claim', { id, username, created: 1e9, unique: {} }), [])
    return id
  }
  const left = await claimed('left-over', 'c000000000000000000000001')
  const other = await claimed('in-time', 'c000000000000000000000002')
  // The claim's owner, on any node, learns that the account is active before cleanup would remove the claim.
  const activating = platform.change('activate', other)
  await accounts.completeUnfinished(() => true)
  t.equal(await activating, true)
  t.equal(platform.findById(left), undefined, 'what was left is gone')
  t.match(platform.findById(other), { state: 'active' }, 'what was acknowledged stays')
})

/** Returns whether a node serves a shard, by a name of that shard. */
function ownsShard(node: Node, shard: number): boolean {
  const username = namesOf[shard]!
  return node.owns(username)
}

/** A username of each shard. */
const namesOf = Array.from({ length: 64 }, (_, shard) => {
  for (let index = 0; ; index++) if (shards.indexOf(`name-${index}`) === shard) return `name-${index}`
})

test('an account that its owner has deleted', async t => {
  const cluster = new MemoryCluster()
  await begin(t, cluster)
  const [n1, n2] = await startPair(t, cluster)
  const username = nameAt(n1, 0)
  await userAt([n1, n2], username)
  const password = 'a long password'
  const { service } = n1
  await service.call(undefined, 'test.setPassword', { username, password })
  const app = await client(n1, username).grant('manage', '*', { type: 'app' })
  const elsewhere = await connect(t, n2.service.server.url, username, app.token)
  const { authorization } = as(tokens.get(username)!.token)
  const { clock } = n1.service
  const sent = await n2.service.http('POST', `/users/${username}/deletion`, { password }, { authorization })
  t.equal(sent.status, 200)
  const { time } = sent.body.userDeletion
  t.ok(time > clock.now())
  await elsewhere.closed()
  const isClosed = ({ service }: Node): boolean =>
    service.server.services.accounts.getDeletionTime(username) === time
  await until(() => isClosed(n1) && isClosed(n2), 'both nodes to know')
  for (const node of [n1, n2]) {
    const ask = (token: string): Promise<{ status: number }> =>
      node.service.http('GET', `/${username}/events`, undefined, { authorization: token })
    t.equal((await ask(app.token)).status, 403)
    t.equal((await ask('no-such-token')).status, 401)
    t.equal(await deleteDue(node.service.server.services), 0)
  }

  const path = `/system/users/${username}/deletion`
  t.equal((await n2.service.http('DELETE', path, undefined, { authorization: adminKey })).status, 200)
  await until(() => n1.service.server.services.accounts.find(username) !== undefined, 'it to be open')
  t.equal((await service.http('GET', `/${username}/events`, undefined, as(app.token))).status, 200)

  await n2.service.http('POST', `/users/${username}/deletion`, { password }, { authorization })
  await until(() => isClosed(n1), 'both nodes to know')
  for (const node of [n1, n2]) node.service.clock.advance(8 * 86_400)
  t.equal(await deleteDue(n2.service.server.services), 0, 'whoever serves it removes it')
  t.equal(await deleteDue(n1.service.server.services), 1)
  await until(() => !n2.service.server.services.platform.find(username), 'the name to be free')
})

const as = (token: string): { authorization: string } => ({ authorization: token })

for (const method of ['put', 'list'] as const)
  test(`a file stored while its account is deleted, at ${method}, does not remain`, async t => {
    const cluster = new MemoryCluster()
    await begin(t, cluster)
    const node = await startNode(t, cluster, 'n1', undefined, longTimes)
    const username = 'uploader'
    await userAt([node], username)
    const { accounts, attachments } = node.service.server.services
    const account = accounts.find(username)!
    const received = await attachments.receive(Readable.from([Buffer.from('bytes')]), 'sha256')
    const store = async (): Promise<void> => await attachments.put(account.id, createId(), received)
    const former = objects[method].bind(objects) as (...given: unknown[]) => Promise<never>
    let calls = 0
    t.teardown(() => delete (objects as Partial<MemoryObjects>)[method])
    objects[method] = async (key: string, ...more: unknown[]) => {
      if (!key.startsWith(`file/${account.id}`) || ++calls > 1) return await former(key, ...more)
      if (method === 'put') await accounts.remove(account)
      const outcome = await former(key, ...more)
      if (method === 'list') await store()
      return outcome
    }
    if (method === 'list') await accounts.remove(account)
    else await t.rejects(store())
    t.ok(calls > 0)
    t.same(await objects.list(`file/${account.id}`), [])
    t.notOk(existsSync(new Layout(node.service.directory).userDirectory(account.id)))
    t.same(await objects.list('lent/'), [])
  })

test('a file fetched while its account is deleted elsewhere leaves no folder', async t => {
  const cluster = new MemoryCluster()
  await begin(t, cluster)
  const [n1, n2] = await startPair(t, cluster)
  const username = nameAt(n1, 0)
  await userAt([n1, n2], username)
  const { accounts, attachments } = n1.service.server.services
  const account = accounts.find(username)!
  const ids = [createId(), createId()] as const
  for (const id of ids) {
    const received = await attachments.receive(Readable.from([Buffer.from('bytes')]), 'sha256')
    await attachments.put(account.id, id, received)
  }
  const there = n2.service.server.services
  const folder = new Layout(n2.service.directory).userDirectory(account.id)
  t.notOk(existsSync(folder))
  t.equal(await there.attachments.size(account.id, ids[0]), 5)
  t.ok(existsSync(folder))
  const former = objects.get.bind(objects)
  t.teardown(() => delete (objects as Partial<MemoryObjects>).get)
  objects.get = async (key, path) => {
    const isFound = await former(key, path)
    await accounts.remove(account)
    await until(() => !there.platform.findById(account.id) && !existsSync(folder), 'the folder to go')
    return isFound
  }
  t.equal(await there.attachments.size(account.id, ids[1]), undefined)
  t.notOk(existsSync(folder))
})

test('a node maintains users whom it serves only since its start', async t => {
  const cluster = new MemoryCluster()
  await begin(t, cluster)
  const [n1, n2] = await startPair(t, cluster)
  const username = nameAt(n1, 0)
  await userAt([n1], username)
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const maintained: string[] = []
  const jobs = startMaintenance(n2.service.server.services, [
    account => void maintained.push(account.username)
  ])
  await move(n1, n2, shards.indexOf(username))
  await until(() => n2.owns(username), 'the other node to take over')
  // Less than a day.
  let hours = 0
  await until(() => {
    if (hours++ < 20) mock.timers.tick(3_600_000)
    return maintained.includes(username)
  }, 'the jobs of the user')
  await jobs.stop()
  t.ok(
    maintained.every(name => name === username),
    'and of no other'
  )
})
