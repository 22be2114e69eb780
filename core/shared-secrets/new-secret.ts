/** The params of a new shared secret, checked by hand so that each error has an id of its own. (docs/spec/shared-secrets.md#creating) */
import type { OnConsumed, SharedSecret } from '../../storage/shared-secrets/shared-secret-repository.js'
import { fail } from '../errors.js'
import { parseWebUrl } from '../parse-url.js'
import type { Config } from '../settings/config.js'

/** The params as given. */
interface GivenSecret {
  readonly ttl?: unknown
  readonly title?: unknown
  readonly onConsumed?: unknown
  readonly secret?: unknown
  readonly signature?: unknown
  readonly keyHash?: unknown
}

/** Valid params. */
interface NewSecret {
  /** Seconds. */
  readonly ttl: number
  readonly title: string
  readonly onConsumed: OnConsumed
  readonly secret: unknown
  readonly signature: Signature | undefined
  readonly keyHash: string | undefined
}

interface Signature {
  readonly type: NonNullable<SharedSecret['signatureType']>
  readonly value: string
}

/** Maximum lengths in characters. */
const maxTitle = 500
const maxMessage = 1000
const maxUrl = 2000
const maxSignature = 1000

/** Checks the params. Error: `invalid-parameters-format` with `data.id`. */
export function parseNewSecret({ sharedSecrets }: Config, given: GivenSecret): NewSecret {
  const { keyHash, secret, title, ttl } = given
  if (typeof ttl !== 'number' || !Number.isFinite(ttl) || ttl <= 0)
    refuse('invalid-ttl', 'ttl must be a number of seconds greater than 0')
  if (ttl > sharedSecrets.maxTtl)
    refuse('ttl-too-long', `ttl must be at most ${sharedSecrets.maxTtl} seconds`)
  if (!isText(title, maxTitle))
    refuse('invalid-title', `title must be a text of at most ${maxTitle} characters, and not blank`)
  const onConsumed = parseOnConsumed(given.onConsumed)
  if (secret === undefined || secret === null) refuse('missing-secret', 'secret is missing')
  if (Buffer.byteLength(JSON.stringify(secret)) > sharedSecrets.maxSizeBytes)
    refuse('too-large', `secret must have at most ${sharedSecrets.maxSizeBytes} bytes of JSON`)
  const signature = parseSignature(given.signature)
  if (isGiven(keyHash) && !(typeof keyHash === 'string' && /^[0-9a-f]{64}$/.test(keyHash)))
    refuse('invalid-key-hash', 'keyHash must be a SHA-256 hash as 64 lower-case hexadecimal digits')
  return { ttl, title, onConsumed, secret, signature, keyHash: (keyHash as string | undefined) ?? undefined }
}

function parseOnConsumed(value: unknown): OnConsumed {
  const { message, returnUrl, ...others } = Object(value) as Record<string, unknown>
  if (!isText(message, maxMessage) || Object.keys(others).length > 0)
    refuse(
      'invalid-on-consumed',
      `onConsumed must have a message of at most ${maxMessage} characters and, if needed, a returnUrl`
    )
  if (!isGiven(returnUrl)) return { message }
  if (!isText(returnUrl, maxUrl) || !isWebUrl(returnUrl))
    refuse('invalid-return-url', 'onConsumed.returnUrl must be an http or https URL')
  return { message, returnUrl }
}

function parseSignature(value: unknown): Signature | undefined {
  if (!isGiven(value)) return undefined
  const { type, value: text, ...others } = Object(value) as Record<string, unknown>
  const isKnown = type === 'secret' || type === 'hmac-sha256'
  if (!isKnown || !isText(text, maxSignature) || Object.keys(others).length > 0)
    refuse(
      'invalid-signature',
      `signature must have a type, "secret" or "hmac-sha256", and a value of at most ${maxSignature} characters`
    )
  return { type, value: text }
}

function isText(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= maxLength
}

function isWebUrl(text: string): boolean {
  return parseWebUrl(text) !== undefined
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

function refuse(name: string, message: string): never {
  fail('invalid-parameters-format', message, { id: `shared-secret-${name}` })
}
