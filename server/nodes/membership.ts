/** This node as a member of its cluster: its lease, its shards, and what happens when shards arrive or leave. */
import type { Engine } from '../../cluster/engine.js'
import type { Lease } from '../../cluster/nodes/lease.js'
import type { Members } from '../../cluster/nodes/members.js'
import type { Shards } from '../../cluster/nodes/shards.js'
import type { Tally } from '../../cluster/tally.js'
import type { Log } from '../../core/log.js'
import type { Config } from '../../core/settings/config.js'
import { version } from '../../core/version.js'
import { userMigrations } from '../../storage/migrations/user/index.js'
import { ShardOwnership } from './shard-ownership.js'
import { beatsPerLease, maxBeatMs, timings } from './timings.js'

interface MembershipOptions {
  readonly config: Pick<Config, 'cluster'>
  readonly engine: Engine
  readonly log: Log
  readonly tally: Tally
  /** Resolves with whether the replicas of a shard's log agree. */
  isLogComplete(shard: number): Promise<boolean>
  /** Resolves when all changes to the platform file are known. Rejects if that is unknown. */
  catchUp(): Promise<void>
  /** Closes the files of all users that this node no longer serves. Never rejects. */
  releaseAccounts(): Promise<void>
  /** Resumes pending work for users whose shards have arrived. */
  resumeWork(isAmong: (username: string) => boolean): void
  /** Called when another node may serve a shard. */
  onOwnerChange(shard: number): void
  /** Called when other nodes have declared this node dead, so that their requests to it are void. */
  onDeclaredDead(): void
  /** Returns the name by which the user with a name belongs to a shard. */
  toShardName(username: string): string
}

interface Membership {
  readonly lease: Lease
  readonly members: Members
  readonly shards: Shards
  readonly ownership: ShardOwnership
}

/** Creates the parts without starting them: the lease has to be started first, then the shards. */
export async function createMembership(options: MembershipOptions): Promise<Membership> {
  const { Lease } = await import('../../cluster/nodes/lease.js')
  const { Members } = await import('../../cluster/nodes/members.js')
  const { shardCount } = await import('../../cluster/nodes/shard-placement.js')
  const { Shards } = await import('../../cluster/nodes/shards.js')
  const { engine, log, tally } = options
  const { leaseSeconds, node, nodeUrl, takeoverSeconds } = options.config.cluster
  const schema = userMigrations.length
  const takeoverMs = takeoverSeconds * 1000
  /** Resolves once the files that were open when this node was declared dead are closed. */
  let closing: Promise<void> = Promise.resolve()
  /** Shards that have arrived in this turn of the event loop. */
  const taken = new Set<number>()

  const lease = new Lease({
    ...timings,
    beatMs: Math.min(maxBeatMs, (leaseSeconds * 1000) / beatsPerLease),
    register: engine.register,
    node,
    facts: { software: version, schema, url: nodeUrl },
    leaseMs: leaseSeconds * 1000,
    takeoverMs,
    async onLost() {
      tally.livesLost++
      log.error('other nodes have declared this node dead; it restarts without shards')
      shards.loseAll()
      options.onDeclaredDead()
      closing = options.releaseAccounts()
      await closing
    }
  })
  const members = new Members()
  const shards: Shards = new Shards({
    ...timings,
    engine,
    node,
    schema,
    lease,
    members,
    takeoverMs,
    events: {
      async mayTake(shard) {
        await closing
        try {
          await options.catchUp()
        } catch {
          return false
        }
        return await options.isLogComplete(shard)
      },
      onTaken(shard) {
        tally.shardsTaken++
        if (taken.size === 0) setImmediate(resumeTaken)
        taken.add(shard)
      },
      waitUntilIdle: shard => ownership.waitUntilIdle(shard),
      async release() {
        tally.shardsGiven++
        await options.releaseAccounts()
      },
      onOwnerChange: shard => options.onOwnerChange(shard)
    }
  })
  const ownership = new ShardOwnership(lease, shards, shardCount, name => options.toShardName(name))
  const resumeTaken = (): void => {
    const added = new Set(taken)
    taken.clear()
    options.resumeWork(username => added.has(ownership.getShard(username)))
  }
  return { lease, members, shards, ownership }
}
