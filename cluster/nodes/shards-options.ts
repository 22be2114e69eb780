/** What the shards of a node need, and what they tell of. */
import type { Engine } from '../engine.js'
import type { Lease } from './lease.js'
import type { Members } from './members.js'

/** What happens to shards. */
export interface ShardEvents {
  /** Whether a shard may be taken over: its logs are sound, and this node knows all accounts. */
  mayTake(shard: number): Promise<boolean>
  /** A shard is served here from now on. */
  onTaken(shard: number): void
  /** A shard is about to leave: resolves once no call on it is under way. New ones wait. Must not reject. */
  waitUntilIdle(shard: number): Promise<void>
  /**
   * A shard is no longer served here, and goes to another node. Resolves once nothing of it is under way any more. Must not
   * reject.
   */
  release(shard: number): Promise<void>
  /** Somebody else serves a shard than before. */
  onOwnerChange(shard: number): void
}

export interface ShardsOptions {
  readonly engine: Pick<Engine, 'announce' | 'subscribe' | 'register'>
  readonly node: string
  readonly schema: number
  readonly lease: Lease
  readonly members: Members
  readonly takeoverMs: number
  /** Time between two looks at the registers, in milliseconds. */
  readonly pollMs: number
  readonly events: ShardEvents
}
