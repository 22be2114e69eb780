/** Nodes in one process, over an in-memory engine, each a complete service with its own folder. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { beginPlatform } from '../../../cluster/platform/begin-platform.js'
import { silentLog } from '../../../core/log.js'
import { ManualClock } from '../../../core/time.js'
import { startServer } from '../../../server/server.js'
import { Layout } from '../../../storage/files/layout.js'
import { PlatformStore } from '../../../storage/platform/platform-store.js'
import { Client, methodModules, Service, testSettings, type Overrides } from '../../support/coffer.js'
import { until } from '../../support/socket.js'
import type { MemoryCluster, MemoryEngine } from '../memory-engine.js'
import { MemoryObjects } from '../memory-objects.js'

/** Objects shared by all nodes of every cluster. */
export const objects = new MemoryObjects()
/** The admin key of all nodes. */
export const adminKey = 'the key of the operator in tests'
/** The accesses of users created by {@link userAt}, by username. */
export const tokens = new Map<string, Client['access']>()

/** Usernames, enough for every shard to have one. */
const possibleNames = Array.from({ length: 400 }, (_, index) => `user-${index}`)

export class Node {
  constructor(
    readonly name: string,
    readonly engine: MemoryEngine,
    readonly service: Service
  ) {}

  owns(username: string): boolean {
    return this.service.server.services.accounts.owns({ username })
  }
}

/** Short times, for tests that lose nodes. */
const shortTimes = { leaseSeconds: 2, takeoverSeconds: 4 }
/** Times that no busy machine exceeds, for tests that lose no node. */
export const longTimes = { leaseSeconds: 60, takeoverSeconds: 120 }

/** Starts a node, with an empty folder unless one is given. The test's teardown stops it. */
export async function startNode(
  t: Test,
  cluster: MemoryCluster,
  name: string,
  directory = mkdtempSync(join(tmpdir(), 'coffer-node-')),
  times: Readonly<Record<string, number>> = shortTimes,
  more: Overrides = {}
): Promise<Node> {
  const clock = new ManualClock()
  const engine = cluster.connect()
  const settings = testSettings(directory, {
    adminKey,
    workers: 0,
    cluster: { node: name, engine: 'nats://memory', ...times },
    webhooks: { allowInternalTargets: true, minIntervalMs: 0 },
    ...more
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

/** Starts two nodes that share the shards, with long timeouts. */
export async function startPair(
  t: Test,
  cluster: MemoryCluster,
  more: Overrides = {}
): Promise<[Node, Node]> {
  const starting = ['n1', 'n2'].map(name => startNode(t, cluster, name, undefined, longTimes, more))
  const pair = (await Promise.all(starting)) as [Node, Node]
  const isShared = (name: string): boolean => pair.filter(node => node.owns(name)).length === 1
  await until(() => possibleNames.every(isShared), 'the shards to be shared')
  return pair
}

/** Creates the platform log, without accounts. */
export async function begin(t: Test, cluster: MemoryCluster): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'coffer-begin-'))
  const layout = new Layout(directory)
  const platform = new PlatformStore(layout)
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  await beginPlatform(platform, { engine: cluster.connect(), objects, draftsDirectory: directory })
  platform.close()
}

/** Creates a user, and returns the node that serves it. */
export async function userAt(nodes: readonly Node[], username: string): Promise<Node> {
  await until(() => nodes.some(node => node.owns(username)), 'somebody to serve the user')
  const owner = nodes.find(node => node.owns(username))!
  const { access } = await owner.service.call(undefined, 'test.createUser', { username })
  tokens.set(username, access)
  const client = new Client(owner.service, username, access)
  await client.stream('diary')
  return owner
}

/** Returns a client at a node for a user created by {@link userAt}. */
export function client(node: Node, username: string): Client {
  return new Client(node.service, username, tokens.get(username)!)
}

/** Returns a username that a node serves, found by trial. */
export function nameAt(node: Node, nth: number): string {
  return possibleNames.filter(name => node.owns(name))[nth]!
}

/** Makes a node move a shard, as `coffer cluster move` does. */
export async function move(from: Node, to: Node, shard: number): Promise<void> {
  const message = Buffer.from(JSON.stringify({ do: 'move', shard, to: to.name }))
  const answer = await from.engine.send(from.name, message, 5000)
  const { message: said, ok } = JSON.parse(Buffer.from(answer).toString()) as {
    ok: boolean
    message: string
  }
  if (!ok) throw new Error(said)
}
