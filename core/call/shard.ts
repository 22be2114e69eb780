/** Divides users among the threads or nodes that serve them. */
import type { Outcome, Request } from './outcome.js'
import type { Config } from '../settings/config.js'
import type { ThrottleEvent } from '../security/shared-throttle.js'

/** Maps users to the threads or nodes that serve them. */
export interface ShardMap {
  /** Number of threads or nodes. */
  readonly size: number
  /** Returns the index of the thread or node that serves a user. It may change while the service runs. */
  indexOf(username: string): number
}

/** The users whose files are opened here; all users if the size of the map is 1. */
export interface Shard {
  readonly index: number
  readonly map: ShardMap
  /** The other threads or nodes; absent if this thread serves all users. */
  readonly peers?: Peers
  /** Returns the base URL of the node that serves a user, or of this node; empty if clients may not connect to it directly. */
  getUrl?(username?: string): string
}

/** Sends requests to other threads or nodes. */
export interface Peers {
  /** Makes a call on the thread or node that serves a user. */
  forward(username: string, request: Request): Promise<Outcome>
  /** Shares an event of a throttle. */
  note(event: ThrottleEvent): void
}

/**
 * Creates a map that divides users by their names alone, so that the index of a user never changes. `toShardName`
 * returns the name that counts, for users who may have several.
 */
export function createFixedShards(
  size: number,
  toShardName: (username: string) => string = username => username
): ShardMap {
  return { size, indexOf: username => hashUsername(toShardName(username), size) }
}

/** The shard with all users. */
export const wholeShard: Shard = { index: 0, map: createFixedShards(1) }

/** Returns true if a user belongs to a shard. */
export function includesUser({ index, map }: Shard, username: string): boolean {
  return map.indexOf(username) === index
}

/** Maps a username to an index below `count`. Uses FNV-1a, which spreads similar names well. */
function hashUsername(username: string, count: number): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < username.length; index++)
    hash = Math.imul(hash ^ username.charCodeAt(index), 0x01000193)
  return (hash >>> 0) % count
}

/** Returns the configuration with the webhook limits divided among the threads. */
export function forShard(config: Config, { map: { size } }: Shard): Config {
  const { concurrency, perSecond } = config.webhooks
  const [calls, pace] = [concurrency, perSecond].map(max => Math.max(1, Math.round(max / size)))
  return { ...config, webhooks: { ...config.webhooks, concurrency: calls!, perSecond: pace! } }
}
