/** Which users belong to whom, where several threads share them. */
import type { Outcome, Request } from './outcome.js'
import type { ThrottleNote } from '../security/shared-throttle.js'

/** One of several shares of all users; all of them unless there are more. */
export interface Shard {
  readonly index: number
  readonly count: number
  /** The other threads, if there are any. */
  readonly peers?: Peers
}

/** What one thread asks of the others. */
export interface Peers {
  /** Has a call made by the thread that owns this user's file. */
  forward(username: string, request: Request): Promise<Outcome>
  /** Tells what has been counted. */
  note(note: ThrottleNote): void
}

/** The share that a user belongs to: the same in every thread and at every time. FNV-1a, for names that differ little. */
export function shardOf(username: string, count: number): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < username.length; at++) hash = Math.imul(hash ^ username.charCodeAt(at), 0x01000193)
  return (hash >>> 0) % count
}
