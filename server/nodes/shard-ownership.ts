/**
 * Which users this node serves, and their calls in progress: a shard leaves this node only once its calls have ended.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Lease } from '../../cluster/nodes/lease.js'
import type { Life } from '../../cluster/nodes/members.js'
import type { Shards } from '../../cluster/nodes/shards.js'
import { createFixedShards } from '../../core/call/shard.js'
import { createUnreachableError } from './unavailable-errors.js'

/** Longest time that a move waits for the calls on a shard, in milliseconds. */
const maxIdleWaitMs = 2000

/** Longest time that calls wait for a shard that is being moved, in milliseconds. A move takes a while after its wait. */
export const maxMoveWaitMs = 2 * maxIdleWaitMs

export class ShardOwnership {
  readonly #shards: ReturnType<typeof createFixedShards>
  readonly #running: number[]
  /** Called when the last call on a shard has ended. */
  readonly #onIdle = new Map<number, () => void>()

  constructor(
    private readonly lease: Pick<Lease, 'isValid'>,
    private readonly shards: Pick<Shards, 'isHeld' | 'isMine' | 'waitUntilMoved' | 'findOwner'>,
    count: number,
    toShardName?: (username: string) => string
  ) {
    this.#shards = createFixedShards(count, toShardName)
    this.#running = Array.from({ length: count }, () => 0)
  }

  /** Returns the shard of a user, named by any of the names that lead to the account. */
  getShard(username: string): number {
    return this.#shards.indexOf(username)
  }

  /** Returns whether a user's file may be open here, which it may be until its last call has ended. */
  isHeld(username: string): boolean {
    return this.shards.isHeld(this.getShard(username))
  }

  /** Returns whether this node serves a user. */
  isOwned(username: string): boolean {
    return this.shards.isMine(this.getShard(username))
  }

  /** Returns the node that serves a user. Returns `undefined` if none is known. */
  findOwner(username: string): Life | undefined {
    return this.shards.findOwner(this.getShard(username))
  }

  /** True if data that was just read is certainly the latest. */
  get isCertain(): boolean {
    return this.lease.isValid()
  }

  /** True if every shard is served. False while the first nodes of a cluster start. */
  get isFullyAssigned(): boolean {
    return this.#running.every((_calls, shard) => this.shards.findOwner(shard) !== undefined)
  }

  /** Waits until a user's shard has been moved, if it is being moved, for {@link maxMoveWaitMs} at most. */
  async waitUntilMoved(username: string): Promise<void> {
    const moved = this.shards.waitUntilMoved(this.getShard(username))
    if (!moved) return
    const stopping = new AbortController()
    const { signal } = stopping
    await Promise.race([moved, wait(maxMoveWaitMs, undefined, { signal }).catch(() => undefined)])
    stopping.abort()
  }

  /** Runs work on a user's file, which stays here until it has ended. Throws `api-unavailable` without a valid lease. */
  run<T>(username: string, work: () => Promise<T> | T): Promise<T> | T {
    if (!this.isCertain) throw createUnreachableError()
    const shard = this.getShard(username)
    this.#running[shard]!++
    try {
      const value = work()
      if (value instanceof Promise) return value.finally(() => this.#endCall(shard))
      this.#endCall(shard)
      return value
    } catch (error) {
      this.#endCall(shard)
      throw error
    }
  }

  /** Resolves when no call on a shard is in progress, or after {@link maxIdleWaitMs}. */
  async waitUntilIdle(shard: number): Promise<void> {
    if (this.#running[shard] === 0) return
    const stopping = new AbortController()
    const { signal } = stopping
    await Promise.race([
      new Promise<void>(resolve => this.#onIdle.set(shard, resolve)),
      wait(maxIdleWaitMs, undefined, { signal }).catch(() => undefined)
    ])
    stopping.abort()
    this.#onIdle.delete(shard)
  }

  #endCall(shard: number): void {
    if (--this.#running[shard]! === 0) this.#onIdle.get(shard)?.()
  }
}
