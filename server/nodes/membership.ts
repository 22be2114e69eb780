/** This node as a member of its cluster: its lease, the shards that it serves, and what is to be done as these come and go. */
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
import { beats, longestBeatMs, times } from './times.js'

export interface MembershipOptions {
  readonly config: Pick<Config, 'cluster'>
  readonly engine: Engine
  readonly log: Log
  readonly tally: Tally
  /** Whether the copies of a shard's logs agree. */
  isSound(shard: number): Promise<boolean>
  /** Resolves when all is known that concerns all accounts. Rejects if that cannot be said. */
  caughtUp(): Promise<void>
  /** Gives up the files of all users whom this node does not serve any more. Never rejects. */
  letGo(): Promise<void>
  /** Goes on with what is owed to users whose shards have come. */
  takeUp(isAmong: (username: string) => boolean): void
  /** The users of a shard may be served by another node than before. */
  changed(shard: number): void
  /** Others have declared this node dead: what others have asked it for is void. */
  dropped(): void
}

export interface Membership {
  readonly lease: Lease
  readonly members: Members
  readonly shards: Shards
  readonly ownership: ShardOwnership
}

/** Nothing runs yet: the lease is to be started first, then the shards. */
export async function membershipOf(options: MembershipOptions): Promise<Membership> {
  const { Lease } = await import('../../cluster/nodes/lease.js')
  const { Members } = await import('../../cluster/nodes/members.js')
  const { shardCount } = await import('../../cluster/nodes/shard-placement.js')
  const { Shards } = await import('../../cluster/nodes/shards.js')
  const { engine, log, tally } = options
  const { leaseSeconds, node, nodeUrl, takeoverSeconds } = options.config.cluster
  const schema = userMigrations.length
  const takeoverMs = takeoverSeconds * 1000
  /** The files of a life that has ended, until they are closed. */
  let closing: Promise<void> = Promise.resolve()
  /** Shards that have come in this turn of the event loop. */
  const taken = new Set<number>()

  const lease = new Lease({
    ...times,
    beatMs: Math.min(longestBeatMs, (leaseSeconds * 1000) / beats),
    register: engine.register,
    node,
    facts: { software: version, schema, url: nodeUrl },
    leaseMs: leaseSeconds * 1000,
    takeoverMs,
    async onLost() {
      tally.livesLost++
      log.error('other nodes have declared this node dead; it restarts without shards')
      shards.loseAll()
      options.dropped()
      closing = options.letGo()
      await closing
    }
  })
  const members = new Members()
  const shards: Shards = new Shards({
    ...times,
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
          await options.caughtUp()
        } catch {
          return false
        }
        return await options.isSound(shard)
      },
      onTaken(shard) {
        tally.shardsTaken++
        if (taken.size === 0) setImmediate(takeOver)
        taken.add(shard)
      },
      waitUntilIdle: shard => ownership.waitUntilIdle(shard),
      async release() {
        tally.shardsGiven++
        await options.letGo()
      },
      onOwnerChange: shard => options.changed(shard)
    }
  })
  const ownership = new ShardOwnership(lease, shards, shardCount)
  const takeOver = (): void => {
    const added = new Set(taken)
    taken.clear()
    options.takeUp(username => added.has(ownership.getShard(username)))
  }
  return { lease, members, shards, ownership }
}
