/** Ids, tokens and slugs. (docs/spec/conventions.md#identifiers) */
import { customAlphabet } from 'nanoid'
import slugify from 'slug'
import { fail } from './errors.js'

const base36 = '0123456789abcdefghijklmnopqrstuvwxyz'
const random12 = customAlphabet(base36, 12)
const random24 = customAlphabet(base36, 24)
const random16 = customAlphabet(`${base36}ABCDEFGHIJKLMNOPQRSTUVWXYZ`, 16)
const counterSize = 36 ** 4

let counter = Math.floor(Math.random() * counterSize)

/**
 * Creates an id in the form of a cuid: `c`, 8 characters of time (ms), 4 of a counter, 12 at random. Ids sort in the
 * order of creation, which keeps indexes dense.
 */
export function createId(): string {
  counter = (counter + 1) % counterSize
  return 'c' + Date.now().toString(36).padStart(8, '0') + counter.toString(36).padStart(4, '0') + random12()
}

/** Returns the time (seconds) at which an id was created; ids chosen by clients may hold any time. */
export function getIdTime(id: string): number {
  return parseInt(id.slice(1, 9), 36) / 1000
}

/** Creates a token: 124 random bits in the form of a cuid. */
export function createToken(): string {
  return 'c' + random24()
}

/** Creates the key of an authorisation request: 16 characters, 95 random bits. (docs/spec/app-authorization.md#states) */
export function createRequestKey(): string {
  return random16()
}

/** Event ids that clients may choose: a cuid, or 24 characters that begin with a letter. (docs/spec/events.md#chosen-ids) */
export const eventIdPattern = '^(c[a-z0-9-]{24}|[a-z][a-z0-9]{23})$'

const reserved = new Set(['null', 'undefined', '*'])
const unreserved = /^[A-Za-z0-9._~-]+$/

/** Returns whether an id needs no escaping in a URL, so that it is its own slug. */
export function isUrlSafeId(id: string): boolean {
  return unreserved.test(id)
}

/**
 * Returns the slug of a client-chosen stream id or token: accents transliterated, spaces turned into `-`, other
 * reserved characters dropped; letter case, `_` and ids that need no change stay. Throws `invalid-item-id` for reserved
 * words and empty slugs. `isSecret`: the value is a token, which the message must not contain.
 */
export function toSlug(id: string, { isSecret = false } = {}): string {
  const refuse = (): never =>
    fail(
      'invalid-item-id',
      isSecret ? 'The given token is reserved or invalid' : `The ID "${id}" is reserved or invalid`
    )
  if (reserved.has(id)) refuse()
  if (isUrlSafeId(id)) return id
  // The library throws on lone surrogates; like other unsupported characters they are dropped.
  const slug = slugify(id.toWellFormed(), { lower: false, mode: 'rfc3986', fallback: false, trim: true })
  if (slug === '' || reserved.has(slug)) refuse()
  return slug
}
