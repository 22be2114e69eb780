/** What credentials hold, in whatever form they came: a token, and perhaps the id of a caller behind it. */
import { isUtf8 } from 'node:buffer'
import { fail } from '../errors.js'
import type { Credentials } from '../call/credentials.js'

/** A token and the caller id that came with it. */
export interface Presented {
  readonly token: string
  readonly callerId?: string
}

/** Longest text that credentials are looked for in: no token or key needs nearly as much. */
export const longestCredentials = 4096
/** Longest caller id: each item and each record of the audit that it causes repeats it. */
export const longestCallerId = 100

/** What stands for a token that nobody has. */
const nobodys: Presented = { token: '' }

/**
 * The token that credentials hold; `undefined` if they hold none. What is too long to be one is a token that nobody has.
 * Forms and sockets bring text of any kind and length, so nothing here may take more time than its length. Errors:
 * `forbidden` for Basic with an empty user name, `invalid-request-structure` for what cannot be a caller id.
 */
export function presentedBy({ auth, authorization }: Credentials): Presented | undefined {
  if (isTooLong(authorization)) return nobodys
  const header = authorization?.trim()
  if (header) return fromHeader(header)
  if (isTooLong(auth)) return nobodys
  const text = auth?.trim()
  return text ? withCallerId(text) : undefined
}

function isTooLong(text: string | undefined): boolean {
  return text !== undefined && text.length > longestCredentials
}

/** `token`, `Bearer token` or `Basic …`. */
function fromHeader(header: string): Presented | undefined {
  const scheme = header.slice(0, 'bearer'.length).toLowerCase()
  if (scheme === 'basic' || (scheme.startsWith('basic') && isBlank(scheme.at(-1)!)))
    return fromBasic(header.slice('basic'.length).trim())
  const isBearer = scheme === 'bearer' && isBlank(header.charAt('bearer'.length))
  return withCallerId(isBearer ? header.slice('bearer'.length).trim() : header)
}

function isBlank(character: string): boolean {
  return character !== '' && character.trim() === ''
}

/** The user name of Basic credentials is the token; the password does not matter. */
function fromBasic(encoded: string): Presented | undefined {
  const decoded = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = decoded.indexOf(':')
  const name = (colon < 0 ? decoded : decoded.slice(0, colon)).trim()
  if (name !== '') return withCallerId(name)
  if (colon >= 0 && colon < decoded.length - 1)
    fail('forbidden', 'The token belongs in the user name of Basic credentials')
  return undefined
}

/** `token`, or `token callerId`; of trimmed text. */
function withCallerId(text: string): Presented {
  const blank = text.indexOf(' ')
  if (blank < 0) return { token: text }
  return { token: text.slice(0, blank), callerId: callerIdIn(text.slice(blank + 1).trim()) }
}

/** What nobody sees, or what makes others see something else than what is there. */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

function callerIdIn(text: string): string {
  const callerId = asMeant(text)
  if (callerId.length > longestCallerId || unprintable.test(callerId))
    fail(
      'invalid-request-structure',
      `The caller id, which follows the token, may have up to ${longestCallerId} printable characters`
    )
  return callerId
}

/** Headers are read byte by byte, whereas clients write UTF-8. */
function asMeant(text: string): string {
  const bytes = Buffer.from(text, 'latin1')
  const isBytes = bytes.length <= 4 * longestCallerId && bytes.toString('latin1') === text
  return isBytes && isUtf8(bytes) ? bytes.toString() : text
}
