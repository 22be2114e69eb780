/** Divides users into shards, one per thread. */
import type { Outcome, Request } from './outcome.js'
import type { ThrottleNote } from '../security/shared-throttle.js'

/** One shard of all users; with a `count` of 1, it has all of them. */
export interface Shard {
  readonly index: number
  readonly count: number
  /** The other threads, if there are any. */
  readonly peers?: Peers
}

/** Requests to other threads. */
export interface Peers {
  /** Makes a call in the thread that owns this user's file. */
  forward(username: string, request: Request): Promise<Outcome>
  /** Shares what has been counted. */
  note(note: ThrottleNote): void
}

/** Returns the shard of a user, which never changes. Uses FNV-1a, which spreads similar names well. */
export function shardOf(username: string, count: number): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < username.length; at++) hash = Math.imul(hash ^ username.charCodeAt(at), 0x01000193)
  return (hash >>> 0) % count
}
