/**
 * The keys that sign ID tokens: created when first needed, and replaced when they are old.
 * (docs/api/oauth.md#id-tokens)
 */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  randomBytes,
  type JsonWebKey,
  type KeyObject
} from 'node:crypto'
import { promisify } from 'node:util'
import type { Services } from '../call/services.js'

/** The only algorithm: every OpenID Connect client supports it. */
export const algorithm = 'RS256'

/** A key to sign with. */
export interface SigningKey {
  readonly id: string
  readonly key: KeyObject
}

interface KnownKey {
  /** The name of the key among the secrets of the platform. */
  readonly name: string
  readonly id: string
  /** Seconds. */
  readonly created: number
  /** PKCS #8, in PEM. */
  readonly pem: string
}

const prefix = 'oauth-key:'
/** Public keys that no longer sign, for signatures that are checked long afterwards, such as those of consent receipts. */
const formerPrefix = 'oauth-public-key:'
const bits = 2048
/** Seconds for which a replaced key is still published: longer than its signatures are valid. */
const publishedAfterSeconds = 86_400
const generateKey = promisify(generateKeyPair)

/** Returns the key in force at `now` (seconds), and creates a key if there is none, or if the latest key is too old. */
export async function ensureSigningKey(services: Services, now: number): Promise<SigningKey> {
  const { id, pem } = await ensureKeyInForce(services, now)
  return { id, key: createPrivateKey(pem) }
}

/**
 * Returns the keys that verify ID tokens, as a JSON Web Key Set; with `withFormer` also those that no longer
 * sign. Creates a key like {@link ensureSigningKey}.
 */
export async function listPublicKeys(
  services: Services,
  now: number,
  withFormer = false
): Promise<{ readonly keys: readonly JsonWebKey[] }> {
  await ensureKeyInForce(services, now)
  const known = listKeys(services)
  const keys = known.filter((_, index) => {
    const next = known[index + 1]
    return next === undefined || next.created + publishedAfterSeconds > now
  })
  const current = keys.map(toPublicKey)
  if (!withFormer) return { keys: current }
  const former = services.platform.secrets
    .list(formerPrefix)
    .map(({ value }) => JSON.parse(value) as JsonWebKey)
  return { keys: [...former.filter(each => !keys.some(({ id }) => id === each['kid'])), ...current] }
}

/** Keys that are being created, by platform: concurrent calls wait for the same key. */
const pendingKeys = new WeakMap<Services['platform'], Promise<KnownKey>>()

/** Returns the key in force, and creates it if needed; concurrent calls wait for the same. */
async function ensureKeyInForce(services: Services, now: number): Promise<KnownKey> {
  const latest = listKeys(services).at(-1)
  if (latest && now < latest.created + services.config.oauth.keyMaxAge) return latest
  const { platform } = services
  const made =
    pendingKeys.get(platform) ?? createKey(services, latest, now).finally(() => pendingKeys.delete(platform))
  pendingKeys.set(platform, made)
  return await made
}

/**
 * Creates a key, and keeps the public part of the one that it replaces. Returns that of another thread if it
 * was faster.
 */
async function createKey(services: Services, latest: KnownKey | undefined, now: number): Promise<KnownKey> {
  const { privateKey } = await generateKey('rsa', { modulusLength: bits })
  const known = listKeys(services)
  const other = known.at(-1)
  // Another thread may have created one in the meantime.
  if (other && other.name !== latest?.name) return other
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
  const value = JSON.stringify({ id: randomBytes(12).toString('base64url'), created: now, pem })
  // Names sort by time.
  const name = `${prefix}${String(Math.floor(now)).padStart(12, '0')}`
  if (other) {
    const kept = {
      name: `${formerPrefix}${other.name.slice(prefix.length)}`,
      value: JSON.stringify(toPublicKey(other))
    }
    await services.platform.change('replaceSecret', kept, [])
  }
  const former = known.slice(0, -1).map(each => each.name)
  await services.platform.change('replaceSecret', { name, value }, former)
  return listKeys(services).at(-1)!
}

/** Returns all keys, the latest last. */
function listKeys({ platform }: Services): KnownKey[] {
  return platform.secrets
    .list(prefix)
    .map(({ name, value }) => ({ name, ...(JSON.parse(value) as Omit<KnownKey, 'name'>) }))
}

function toPublicKey({ id, pem }: KnownKey): JsonWebKey {
  return { ...createPublicKey(pem).export({ format: 'jwk' }), kid: id, use: 'sig', alg: algorithm }
}
