/**
 * Keys of shared secrets, and how values are stored. A key is `{id}.{random}`; only a hash of the random half is stored. If
 * the service has made the key, the value is encrypted under a key derived from the random half, so that it cannot be read
 * from the disk. If the client has, the service learns the random half only when the secret is retrieved, and stores the
 * value as it is. (docs/spec/shared-secrets.md#keys)
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  hkdfSync,
  randomBytes,
  timingSafeEqual
} from 'node:crypto'

/** What is handed over, and what proves that a receiver is the right one. */
interface SecretValue {
  readonly secret: unknown
  /** The proof, or the key that the proof is computed with; absent if the key of the secret is enough. */
  readonly signature?: string
}

/** A key of the right form. */
export interface SecretKey {
  readonly id: string
  readonly random: string
}

const cipher = 'aes-256-gcm'
const ivLength = 12
const tagLength = 16

/** Creates the random half of a key: 256 bits as 43 characters. */
export function createRandomHalf(): string {
  return randomBytes(32).toString('base64url')
}

/** Returns the stored form of the random half of a key, in hexadecimal. */
export function hashRandomHalf(random: string): string {
  return createHash('sha256').update(random).digest('hex')
}

/** Parses a key. A key of another form becomes one that matches no secret, so that it takes as long to refuse. */
export function parseKey(key: unknown): SecretKey {
  const [, id, random] = typeof key === 'string' ? (keyPattern.exec(key) ?? []) : []
  return id === undefined || random === undefined ? impossibleKey : { id, random }
}

/** The random half has at least 192 bits: 32 characters of base64url. */
const keyPattern = /^([a-z0-9-]{24,25})\.([A-Za-z0-9_-]{32,128})$/
const impossibleKey: SecretKey = { id: '', random: 'x'.repeat(43) }

/** Returns whether the random half of a key belongs to a hash, in constant time. Without a hash, compares all the same. */
export function matchesHash(random: string, keyHash: string | undefined): boolean {
  const given = Buffer.from(hashRandomHalf(random), 'hex')
  const isEqual = timingSafeEqual(given, Buffer.from(keyHash ?? noHash, 'hex'))
  return isEqual && keyHash !== undefined
}

const noHash = '0'.repeat(64)

/** Returns the text to store of a value, encrypted under the random half of its key. */
export function sealValue({ id, random }: SecretKey, value: SecretValue): string {
  const iv = randomBytes(ivLength)
  const encryption = createCipheriv(cipher, deriveKey(id, random), iv)
  encryption.setAAD(Buffer.from(id))
  const parts = [encryption.update(JSON.stringify(value), 'utf8'), encryption.final()]
  const sealed = Buffer.concat([iv, encryption.getAuthTag(), ...parts])
  return JSON.stringify({ sealed: sealed.toString('base64') })
}

/** Returns the text to store of a value whose key the client has made. */
export function formatValue(value: SecretValue): string {
  return JSON.stringify({ value })
}

/** Returns the value of a stored text. Throws if the key is not the right one for an encrypted value. */
export function openValue({ id, random }: SecretKey, text: string): SecretValue {
  const { sealed, value } = JSON.parse(text) as { sealed?: string; value?: SecretValue }
  if (sealed === undefined) return value!
  const bytes = Buffer.from(sealed, 'base64')
  const decryption = createDecipheriv(cipher, deriveKey(id, random), bytes.subarray(0, ivLength))
  decryption.setAAD(Buffer.from(id))
  decryption.setAuthTag(bytes.subarray(ivLength, ivLength + tagLength))
  const parts = [decryption.update(bytes.subarray(ivLength + tagLength)), decryption.final()]
  return JSON.parse(Buffer.concat(parts).toString()) as SecretValue
}

function deriveKey(id: string, random: string): Buffer {
  return Buffer.from(hkdfSync('sha256', random, id, 'shared secret', 32))
}
