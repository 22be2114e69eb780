/** Divides users among those who serve them: threads, or machines. */
import type { Outcome, Request } from './outcome.js'
import type { ThrottleEvent } from '../security/shared-throttle.js'

/** Who serves which users. */
export interface ShardMap {
  /** Number of those who serve users, each with an index. */
  readonly size: number
  /** The index of the one who serves a user. It may change while the service runs. */
  indexOf(username: string): number
}

/** The users whose files are opened here; all of them if the map has one place only. */
export interface Shard {
  readonly index: number
  readonly map: ShardMap
  /** The others who serve users, if there are any. */
  readonly peers?: Peers
  /** The base URL of the one who serves a user, or of this one; empty where clients may not go straight to it. */
  urlOf?(username?: string): string
}

/** Requests to the others. */
export interface Peers {
  /** Makes a call where this user's file is open. */
  forward(username: string, request: Request): Promise<Outcome>
  /** Shares what has been counted. */
  note(note: ThrottleEvent): void
}

/** Users divided among a number of places by their names alone: a user's place never changes. */
export function fixedShards(size: number): ShardMap {
  return { size, indexOf: username => shardOf(username, size) }
}

/** All users, served by one. */
export const wholeShard: Shard = { index: 0, map: fixedShards(1) }

/** Whether a shard has a user. */
export function isIn({ index, map }: Shard, username: string): boolean {
  return map.indexOf(username) === index
}

/** Returns the place of a user among `count`. Uses FNV-1a, which spreads similar names well. */
function shardOf(username: string, count: number): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < username.length; at++) hash = Math.imul(hash ^ username.charCodeAt(at), 0x01000193)
  return (hash >>> 0) % count
}
