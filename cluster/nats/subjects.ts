/** The streams and subjects of the engine. */

/** Number of streams among which the logs of accounts are divided. It never changes. */
export const shardCount = 64
/** The stream of the bucket of registers. */
export const bucketStream = 'KV_coffer_lease'
export const platformStream = 'COFFER_PLATFORM'
/** The subject of the platform's log. */
export const platformSubject = 'coffer.platform'

const bucketPrefix = '$KV.coffer_lease.'
const logPrefix = 'coffer.wal.'
/** Tokens between dots, of printable ASCII without wildcards. */
const tokenPattern = /^[!-)+\-/-=?-~]+(?:\.[!-)+\-/-=?-~]+)*$/
/** Keys of a bucket. (https://docs.nats.io/nats-concepts/jetstream/key-value-store) */
const keyPattern = /^[-/_=a-zA-Z0-9]+(?:\.[-/_=a-zA-Z0-9]+)*$/

/** Returns the stream of the accounts of a shard, from 0. */
export function shardStream(shard: number): string {
  return `COFFER_WAL_${formatShard(shard)}`
}

/** Returns the subject of an account's log. */
export function accountSubject(shard: number, account: string): string {
  return `${logPrefix}${formatShard(shard)}.${account}`
}

/** Returns a pattern for the subjects of a shard. */
export function shardSubjects(shard: number): string {
  return `${logPrefix}${formatShard(shard)}.>`
}

/** A pattern for all keys of the bucket. */
export const bucketSubjects = `${bucketPrefix}>`

/** Returns the stream of a log. Throws `RangeError` for a subject that is invalid or belongs to no stream. */
export function getStream(subject: string): string {
  if (subject === platformSubject) return platformStream
  const [, shard] = /^coffer\.wal\.(\d\d)\../.exec(subject) ?? []
  if (shard === undefined || Number(shard) >= shardCount || !tokenPattern.test(subject))
    throw new RangeError(`"${subject}" is not the subject of a log`)
  return shardStream(Number(shard))
}

/** Returns the subject of a register. Throws `RangeError` for an invalid key. */
export function keySubject(key: string): string {
  if (!keyPattern.test(key)) throw new RangeError(`"${key}" is not the key of a register`)
  return bucketPrefix + key
}

/** Parses the key of a register from its subject. */
export function parseKey(subject: string): string {
  return subject.slice(bucketPrefix.length)
}

/** Returns a pattern for the keys with a prefix, and possibly others. */
export function keySubjects(prefix: string): string {
  return `${bucketPrefix}${prefix.slice(0, prefix.lastIndexOf('.') + 1)}>`
}

/** Returns the subject of messages to a node. Throws `RangeError` for a name that cannot be part of a subject. */
export function nodeSubject(node: string): string {
  return `coffer.node.${assertToken(node)}`
}

/** Returns the subject of announcements of a topic. Throws `RangeError` as {@link nodeSubject} does. */
export function topicSubject(topic: string): string {
  return `coffer.tell.${assertToken(topic)}`
}

function assertToken(text: string): string {
  if (!tokenPattern.test(text)) throw new RangeError(`"${text}" cannot be part of a subject`)
  return text
}

function formatShard(shard: number): string {
  return String(shard).padStart(2, '0')
}
