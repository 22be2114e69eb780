/** Nodes that only own shards, over an in-memory engine. Times are a twentieth of those in production. */
import type { Test } from 'tap'
import { Lease } from '../../../cluster/nodes/lease.js'
import { Members } from '../../../cluster/nodes/members.js'
import { allShards } from '../../../cluster/nodes/shard-placement.js'
import { Shards } from '../../../cluster/nodes/shards.js'
import { MemoryCluster, type MemoryEngine } from '../memory-engine.js'

export const times = { leaseMs: 300, takeoverMs: 400, beatMs: 50, steadyMs: 100, wakeMs: 50 }

/** A node that only owns shards. */
export class ShardNode {
  readonly engine: MemoryEngine
  readonly lease: Lease
  readonly members = new Members()
  readonly shards: Shards
  readonly released: number[] = []
  readonly taken: number[] = []
  lost = 0
  mayTake = true
  /** Delays the cleanup of a lost incarnation. */
  losing: Promise<void> = Promise.resolve()
  /** Delays releasing. */
  releasing: Promise<void> = Promise.resolve()
  /** Delays closing. */
  closing: Promise<void> = Promise.resolve()

  constructor(
    readonly cluster: MemoryCluster,
    readonly name: string,
    schema = 1
  ) {
    this.engine = cluster.connect()
    const { register } = this.engine
    this.lease = new Lease({
      ...times,
      register,
      node: name,
      facts: { software: '1.0.0', schema, url: '' },
      onLost: async () => {
        this.lost++
        this.shards.loseAll()
        await this.losing
      }
    })
    this.shards = new Shards({
      engine: this.engine,
      node: name,
      schema,
      lease: this.lease,
      members: this.members,
      takeoverMs: times.takeoverMs,
      pollMs: 20,
      events: {
        mayTake: async () => Promise.resolve(this.mayTake),
        onTaken: shard => void this.taken.push(shard),
        waitUntilIdle: async () => {
          await this.releasing
        },
        release: async shard => {
          this.released.push(shard)
          await this.closing
        },
        onOwnerChange: () => {}
      }
    })
  }

  async start(): Promise<this> {
    await this.lease.start()
    this.shards.start()
    return this
  }

  async stop(): Promise<void> {
    await this.shards.stop()
    await this.lease.end()
  }

  get isServing(): boolean {
    return this.lease.isValid() && this.shards.owned.length > 0
  }
}

/** Starts nodes; the test's teardown stops them. */
export async function started(t: Test, cluster: MemoryCluster, ...names: string[]): Promise<ShardNode[]> {
  const nodes = await Promise.all(names.map(name => new ShardNode(cluster, name).start()))
  t.teardown(async () => {
    for (const { engine } of nodes) engine.isCutOff = false
    await Promise.all(nodes.map(node => node.stop()))
  })
  return nodes
}

/** Returns whether each shard is served by exactly one of these nodes. */
export function isShared(...nodes: ShardNode[]): boolean {
  return allShards.every(shard => nodes.filter(({ shards }) => shards.isMine(shard)).length === 1)
}
