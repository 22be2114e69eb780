/** Sockets of users that another node serves, opened while the user moves or the connection between the nodes is lost. */
import { deserialize, serialize } from 'node:v8'
import { test } from 'tap'
import { ConnectionLost } from '../../../cluster/nodes/connection.js'
import { createFixedShards } from '../../../core/call/shard.js'
import type { Registry } from '../../../core/dispatch/registry.js'
import { LiveNotifier } from '../../../core/notifications/live-notifier.js'
import { LocalCalls } from '../../../server/nodes/local-calls.js'
import { serveConnection } from '../../../server/nodes/serve-connection.js'
import { ShardOwnership } from '../../../server/nodes/shard-ownership.js'
import type { Runtime } from '../../../server/runtime.js'
import { openCoffer } from '../../support/coffer.js'
import { socketOf, until, type TestSocket } from '../../support/socket.js'
import { MemoryCluster, type MemoryEngine } from '../memory-engine.js'
import { begin, client, move, nameAt, startPair, userAt } from './memory-nodes.js'

/** Holds the next message of a node that requests an operation; the message is sent once `release` is called. */
function hold(engine: MemoryEngine, operation: string): { held: Promise<void>; release: () => void } {
  const { send } = engine
  let release!: () => void
  const released = new Promise<void>(resolve => (release = resolve))
  const held = new Promise<void>(resolve => {
    engine.send = async (node, message, timeoutMs) => {
      if (Buffer.from(message).includes(operation)) {
        engine.send = send
        resolve()
        await released
      }
      return await send.call(engine, node, message, timeoutMs)
    }
  })
  return { held, release }
}

test('a socket that is opened while its user moves is notified once', { timeout: 600_000 }, async t => {
  const cluster = new MemoryCluster()
  await begin(t, cluster)
  const nodes = await startPair(t, cluster, { sockets: { maxPerUser: 2 } })
  const [n1, n2] = nodes
  const username = nameAt(n1, 0)
  await userAt(nodes, username)
  const { held, release } = hold(n2.engine, 'join')
  const opening = socketOf(t, client(n2, username))
  await held
  await move(n1, n2, createFixedShards(64).indexOf(username))
  await until(() => n2.owns(username), 'the move')
  // Everything that the move causes at this node happens before the answer.
  await client(n2, username).event({ content: 'before' })
  release()
  const socket = await opening
  await socket.news()
  await client(n2, username).event({ content: 'after' })
  t.same(await socket.news(), ['eventsChanged'])
  await socketOf(t, client(n2, username))
  await t.rejects(socketOf(t, client(n2, username)), 'two sockets are allowed')
})

test('scopes that the next node does not know are refused', { timeout: 600_000 }, async t => {
  const cluster = new MemoryCluster()
  await begin(t, cluster)
  const nodes = await startPair(t, cluster)
  const [n1, n2] = nodes
  // The answer to the subscription, and the question about the scopes that follows it.
  for (const [node, text] of [
    [n1, 'keys'],
    [n2, 'readSubscriptions']
  ] as const) {
    const username = nameAt(n1, 0)
    await userAt(nodes, username)
    const socket = await socketOf(t, client(n2, username))
    const { held, release } = hold(node.engine, text)
    const subscribing = socket.call('subscribe', { key: 'all' })
    await held
    await move(n1, n2, createFixedShards(64).indexOf(username))
    await until(() => socket.heard.includes('eventsChanged'), 'the socket to be joined again')
    release()
    t.match(await subscribing, { error: { id: 'api-unavailable' } }, text)
    t.same((await socket.call('getSubscriptions')).scopes, {})
    t.match(await socket.call('subscribe', { key: 'all' }), { keys: ['all'] })
    t.match(await socket.call('getSubscriptions'), { scopes: { all: {} } })
  }
})

test('scopes count for the limit of their account at the next node', { timeout: 600_000 }, async t => {
  const cluster = new MemoryCluster()
  await begin(t, cluster)
  const nodes = await startPair(t, cluster)
  const [n1, n2] = nodes
  const username = nameAt(n1, 0)
  await userAt(nodes, username)
  const sockets = await Promise.all(Array.from({ length: 11 }, () => socketOf(t, client(n2, username))))
  const [last, ...full] = sockets as [TestSocket, ...TestSocket[]]
  const long = { key: 'k', query: { content: [{ path: '$', eq: 'x'.repeat(99_900) }] } }
  for (const socket of full) t.match(await socket.call('subscribe', long), { keys: ['k'] })
  t.match(await last.call('subscribe', long), { error: { id: 'invalid-operation' } }, 'at another node')
  await move(n1, n2, createFixedShards(64).indexOf(username))
  await until(
    () => full.every(({ heard }) => heard.includes('notificationsChanged')),
    'the sockets to be joined again'
  )
  t.match(await last.call('subscribe', long), { error: { id: 'invalid-operation' } }, 'at their own')
  full[0]!.raw.close()
  await until(async () => (await last.call('subscribe', long)).ok === true, 'the room of the closed socket')
})

test('a subscription counts as one call', { timeout: 600_000 }, async t => {
  const cluster = new MemoryCluster()
  await begin(t, cluster)
  // Creating a stream, opening the socket, and subscribing.
  const nodes = await startPair(t, cluster, { limits: { callsPerToken: { window: 3600, personal: 3 } } })
  const [n1, n2] = nodes
  const username = nameAt(n1, 0)
  await userAt(nodes, username)
  const socket = await socketOf(t, client(n2, username))
  t.match(await socket.call('subscribe', { key: 'all' }), { keys: ['all'] })
  t.match(await socket.call('getSubscriptions'), { error: { id: 'too-many-requests' } })
})

test('a socket is not joined for a node that is lost meanwhile', async t => {
  const { alice, server } = await openCoffer(t, { sockets: { maxPerUser: 1 } })
  const { services } = server
  const { token, username } = alice
  const feed = new LiveNotifier(services)
  let isMine = true
  let moved!: () => void
  const moving = new Promise<void>(resolve => (moved = resolve))
  let isValid = true
  const shards = {
    isHeld: () => true,
    isMine: () => isMine,
    waitUntilMoved: () => (isMine ? undefined : moving),
    findOwner: () => undefined
  }
  const ownership = new ShardOwnership({ isValid: () => isValid }, shards, 64)
  const registry = { services } as Registry
  const calls = new LocalCalls({ registry, ownership, catchUp: async () => {}, countChanges: () => 0 })
  const answers: unknown[] = []
  const connection = serveConnection(
    {
      runtime: { services, feed } as Runtime,
      calls,
      ownership,
      files: { lendDraft: () => t.fail() } as never
    },
    { hasRoom: true, post: bytes => answers.push(deserialize(bytes)) }
  )
  const credentials = { ip: '127.0.0.1', via: 'socket.io', auth: token } as const
  const join = (): void => connection.receive(serialize([1, 'join', [username, credentials, 1]]))
  const isFree = (): boolean => {
    const subscriber = { notify: () => {}, close: () => {} }
    const joined = feed.join(feed.findAdmission(username, credentials), subscriber)
    joined?.unsubscribe()
    return joined !== undefined
  }

  join()
  await connection.waitUntilAnswered!()
  t.same(answers.splice(0), [[1, true]])
  t.notOk(isFree(), 'the only socket of the user is taken')
  connection.receive(serialize([0, 'leave', [1]]))
  t.ok(isFree(), 'it has left')

  join()
  isValid = false
  await connection.waitUntilAnswered!()
  isValid = true
  t.match(answers.splice(0), [[1, undefined, { id: 'api-unavailable' }]])
  t.ok(isFree(), 'a join that was refused in the end is undone')

  isMine = false
  join()
  connection.onLost(new ConnectionLost(true))
  isMine = true
  moved()
  await connection.waitUntilAnswered!()
  t.ok(isFree(), 'nothing is joined after the connection is lost')
})
