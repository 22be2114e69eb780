/** Where shards are, and where they are to be: the value of their registers, and the node that suits each of them best. */
import type { RegisterValue } from '../engine.js'
import { readJson } from './json.js'
import type { Life, Member } from './members.js'

/** Number of shards, fixed for good: a user's shard follows from its name. */
export const shardCount = 64

/** All shards. */
export const allShards: readonly number[] = Array.from({ length: shardCount }, (_, shard) => shard)

/** The subject of the log of an account, which is found by the shard of its user. */
export function logSubject(shard: number, account: string): string {
  return `coffer.wal.${String(shard).padStart(2, '0')}.${account}`
}

/** The register of a shard. */
export interface ShardPlacement extends Life {
  /** Schema of the files that the owner has written. */
  readonly schema: number
  /** The node that an operator wants it to be on while that lives. */
  readonly pin?: string
}

/** The key of a shard's register. */
export function shardKey(shard: number): string {
  return `shard.${String(shard).padStart(2, '0')}`
}

/** The shard of a register. */
export function parseShard({ key }: Pick<RegisterValue, 'key'>): number {
  return Number(key.slice('shard.'.length))
}

/** Where a shard is, by its register; `undefined` if that cannot be read. */
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
 * The shard whose register has changed, as an announcement says; `undefined` if other software has written it. What it is
 * now stands in the register alone.
 */
export function parseChangedShard(message: Uint8Array): number | undefined {
  const announced: { readonly shard?: unknown } | undefined = readJson(message)
  const shard = announced?.shard
  return allShards.includes(shard as number) ? (shard as number) : undefined
}

/** Why a node cannot take a shard, in words that follow its name; `undefined` if it can. */
export function findObstacle(
  member: Member | undefined,
  placed: ShardPlacement | undefined
): string | undefined {
  if (!member || member.state === 'ended') return 'does not exist'
  if (member.state !== 'alive') return `is ${member.state}`
  if (member.schema < (placed?.schema ?? 0)) return 'runs a version that is too old for its databases'
  return undefined
}

/** The node that is to serve a shard: the one it is pinned to, or the one that ranks highest; `undefined` if none can. */
export function chooseNode(
  shard: number,
  placed: ShardPlacement | undefined,
  members: readonly Member[]
): Member | undefined {
  const candidates = members.filter(member => findObstacle(member, placed) === undefined)
  const pinned = candidates.find(({ node }) => node === placed?.pin)
  return pinned ?? candidates.toSorted((a, b) => computeRank(b.node, shard) - computeRank(a.node, shard))[0]
}

/** What a node ranks at for a shard. A node that comes or goes moves few shards. */
function computeRank(node: string, shard: number): number {
  let hash = 0x811c9dc5
  for (const character of `${shard}/${node}/${shard}`)
    hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193)
  // FNV alone leaves what was hashed last in the low bits: mixed, names that differ in one letter rank at random.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
