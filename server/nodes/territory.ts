/** Which users this node serves, and the calls on them that are under way: a shard leaves only once they have ended. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Lease } from '../../cluster/nodes/lease.js'
import type { Life } from '../../cluster/nodes/members.js'
import type { Shards } from '../../cluster/nodes/shards.js'
import { fixedShards } from '../../core/call/shard.js'
import { unreachable } from './unreachable.js'

/** Longest time that a move waits for the calls on a shard, in milliseconds. */
const quietMs = 2000

/** Longest time that calls wait for a shard that is being moved, in milliseconds: a move that has waited still takes a while. */
export const movingMs = 2 * quietMs

export class Territory {
  readonly #shards: ReturnType<typeof fixedShards>
  readonly #underWay: number[]
  /** Called when the last call on a shard has ended. */
  readonly #emptied = new Map<number, () => void>()

  constructor(
    private readonly lease: Pick<Lease, 'isValid'>,
    private readonly shards: Pick<Shards, 'holds' | 'isMine' | 'moved' | 'ownerOf'>,
    count: number
  ) {
    this.#shards = fixedShards(count)
    this.#underWay = Array.from({ length: count }, () => 0)
  }

  /** The shard of a user. */
  shardOf(username: string): number {
    return this.#shards.indexOf(username)
  }

  /** Whether a user's file may be open here: until the last call on it has ended. */
  holds(username: string): boolean {
    return this.shards.holds(this.shardOf(username))
  }

  /** Whether this node serves a user. */
  has(username: string): boolean {
    return this.shards.isMine(this.shardOf(username))
  }

  ownerOf(username: string): Life | undefined {
    return this.shards.ownerOf(this.shardOf(username))
  }

  /** Whether what was just read is certain to be the latest there is. */
  get isCertain(): boolean {
    return this.lease.isValid()
  }

  /** Whether each shard has somebody who serves it: nobody has yet while the first nodes of a cluster start. */
  get isDivided(): boolean {
    return this.#underWay.every((_calls, shard) => this.shards.ownerOf(shard) !== undefined)
  }

  /** Waits for a user's shard to arrive elsewhere, if it is being moved, but not for long. */
  async settled(username: string): Promise<void> {
    const moved = this.shards.moved(this.shardOf(username))
    if (!moved) return
    const stopping = new AbortController()
    const { signal } = stopping
    await Promise.race([moved, wait(movingMs, undefined, { signal }).catch(() => undefined)])
    stopping.abort()
  }

  /** Does something on a user's file, which is here until that has ended. Throws `api-unavailable` without a valid lease. */
  during<T>(username: string, work: () => Promise<T> | T): Promise<T> | T {
    if (!this.isCertain) throw unreachable()
    const shard = this.shardOf(username)
    this.#underWay[shard]!++
    try {
      const value = work()
      if (value instanceof Promise) return value.finally(() => this.#ended(shard))
      this.#ended(shard)
      return value
    } catch (error) {
      this.#ended(shard)
      throw error
    }
  }

  /** Resolves when no call on a shard is under way any more, or has been for too long. */
  async quiet(shard: number): Promise<void> {
    if (this.#underWay[shard] === 0) return
    const stopping = new AbortController()
    const { signal } = stopping
    await Promise.race([
      new Promise<void>(resolve => this.#emptied.set(shard, resolve)),
      wait(quietMs, undefined, { signal }).catch(() => undefined)
    ])
    stopping.abort()
    this.#emptied.delete(shard)
  }

  #ended(shard: number): void {
    if (--this.#underWay[shard]! === 0) this.#emptied.get(shard)?.()
  }
}
