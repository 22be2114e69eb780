/** The placement of shards: the value of their registers, and the choice of the node for each. */
import type { RegisterValue } from '../engine.js'
import { readJson } from './json.js'
import type { Life, Member } from './members.js'

/** Number of shards. It never changes: a user's shard follows from the user name. */
export const shardCount = 64

/** All shards. */
export const allShards: readonly number[] = Array.from({ length: shardCount }, (_, shard) => shard)

/** Returns the subject of an account's log, which contains the shard of its user. */
export function logSubject(shard: number, account: string): string {
  return `coffer.wal.${String(shard).padStart(2, '0')}.${account}`
}

/** The content of a shard's register. */
export interface ShardPlacement extends Life {
  /** Schema of the files that the owner has written. */
  readonly schema: number
  /** The node to which an operator has pinned the shard; it counts as long as that node is alive. */
  readonly pin?: string
}

/** Returns the key of a shard's register. */
export function shardKey(shard: number): string {
  return `shard.${String(shard).padStart(2, '0')}`
}

/** Parses the shard from the key of its register. */
export function parseShard({ key }: Pick<RegisterValue, 'key'>): number {
  return Number(key.slice('shard.'.length))
}

/** Parses a shard's register; `undefined` if it cannot be read. */
export function parsePlacement({ bytes }: Pick<RegisterValue, 'bytes'>): ShardPlacement | undefined {
  const placed: Partial<ShardPlacement> | undefined = readJson(bytes)
  const isKnown =
    typeof placed?.node === 'string' &&
    Number.isSafeInteger(placed.incarnation) &&
    Number.isSafeInteger(placed.schema) &&
    (placed.pin === undefined || typeof placed.pin === 'string')
  return isKnown ? (placed as ShardPlacement) : undefined
}

/**
 * Parses the shard from an announcement that its register has changed; `undefined` if other software has sent the
 * announcement. The current placement is only in the register.
 */
export function parseChangedShard(message: Uint8Array): number | undefined {
  const announced: { readonly shard?: unknown } | undefined = readJson(message)
  const shard = announced?.shard
  return allShards.includes(shard as number) ? (shard as number) : undefined
}

/** Returns why a node cannot take a shard, in words that follow its name; `undefined` if it can. */
export function findObstacle(
  member: Member | undefined,
  placed: ShardPlacement | undefined
): string | undefined {
  if (!member || member.state === 'ended') return 'does not exist'
  if (member.state !== 'alive') return `is ${member.state}`
  if (member.schema < (placed?.schema ?? 0)) return 'runs a version that is too old for its databases'
  return undefined
}

/**
 * Chooses the node that is to serve a shard: the node to which it is pinned, or the node with the highest rank;
 * `undefined` if no node can serve it.
 */
export function chooseNode(
  shard: number,
  placed: ShardPlacement | undefined,
  members: readonly Member[]
): Member | undefined {
  const candidates = members.filter(member => findObstacle(member, placed) === undefined)
  const pinned = candidates.find(({ node }) => node === placed?.pin)
  return pinned ?? candidates.toSorted((a, b) => computeRank(b.node, shard) - computeRank(a.node, shard))[0]
}

/** Computes the rank of a node for a shard by rendezvous hashing. Adding or removing a node moves few shards. */
function computeRank(node: string, shard: number): number {
  let hash = 0x811c9dc5
  for (const character of `${shard}/${node}/${shard}`)
    hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193)
  // FNV alone leaves the last characters in the low bits: mixing makes the ranks of similar names independent.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
