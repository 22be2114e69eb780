/** The options and events of a node's shards. */
import type { Engine } from '../engine.js'
import type { Lease } from './lease.js'
import type { Members } from './members.js'

/** Called when shards change hands. */
export interface ShardEvents {
  /** Resolves with whether a shard may be taken over: its logs are complete, and this node knows all accounts. */
  mayTake(shard: number): Promise<boolean>
  /** Called when this node begins to serve a shard. */
  onTaken(shard: number): void
  /**
   * Called when a shard is about to be released. Resolves once no call on it is in progress. New calls wait. Must not
   * reject.
   */
  waitUntilIdle(shard: number): Promise<void>
  /**
   * Called when a shard is no longer served here, before it is given to another node. Resolves once no operation on it
   * is in progress. Must not reject.
   */
  release(shard: number): Promise<void>
  /** Called when the owner of a shard has changed. */
  onOwnerChange(shard: number): void
}

export interface ShardsOptions {
  readonly engine: Pick<Engine, 'announce' | 'subscribe' | 'register'>
  readonly node: string
  readonly schema: number
  readonly lease: Lease
  readonly members: Members
  readonly takeoverMs: number
  /** Time between two reads of the registers, in milliseconds. */
  readonly pollMs: number
  readonly events: ShardEvents
}
