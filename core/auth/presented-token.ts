/** Parses credentials in all their forms: a token, and optionally the id of a caller behind it. */
import { isUtf8 } from 'node:buffer'
import { fail } from '../errors.js'
import type { Credentials } from '../call/credentials.js'

/** A token and the caller id that came with it. */
export interface PresentedToken {
  readonly token: string
  readonly callerId?: string
  /** Set if the scheme of the header is `DPoP`, so that the token has to come with a proof. */
  readonly isDPoP?: true
}

/** Maximum length of text that is parsed as credentials, in characters: no token or key is nearly as long. */
export const maxCredentialsLength = 4096
/** Maximum length of a caller id, in characters: every item and audit record of its calls repeats it. */
const maxCallerIdLength = 100

/** Stands for a token that no access has. */
const unknownToken: PresentedToken = { token: '' }

/**
 * Returns the token in the credentials; `undefined` if there is none. Text too long to be a token counts as an unknown
 * token. Forms and sockets send text of any kind and length, so everything here takes linear time. Errors: `forbidden`
 * for Basic with an empty user name, `invalid-request-structure` for an invalid caller id.
 */
export function parsePresented({ auth, authorization }: Credentials): PresentedToken | undefined {
  if (isTooLong(authorization)) return unknownToken
  const header = authorization?.trim()
  if (header) return parseHeader(header)
  if (isTooLong(auth)) return unknownToken
  const text = auth?.trim()
  return text ? parseTokenAndCallerId(text) : undefined
}

function isTooLong(text: string | undefined): boolean {
  return text !== undefined && text.length > maxCredentialsLength
}

/** Parses `token`, `Bearer token`, `DPoP token` or `Basic …`. */
function parseHeader(header: string): PresentedToken | undefined {
  const scheme = header.slice(0, 'bearer'.length).toLowerCase()
  if (scheme === 'basic' || (scheme.startsWith('basic') && isBlank(scheme.at(-1)!)))
    return parseBasic(header.slice('basic'.length).trim())
  if (/^dpop\s/i.test(header))
    return { ...parseTokenAndCallerId(header.slice('dpop'.length).trim()), isDPoP: true }
  const isBearer = scheme === 'bearer' && isBlank(header.charAt('bearer'.length))
  return parseTokenAndCallerId(isBearer ? header.slice('bearer'.length).trim() : header)
}

function isBlank(character: string): boolean {
  return character !== '' && character.trim() === ''
}

/**
 * Returns the user name of Basic credentials as the token; the password does not matter. `undefined` if both
 * are empty. Throws `forbidden` for a password without a user name.
 */
function parseBasic(encoded: string): PresentedToken | undefined {
  const decoded = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = decoded.indexOf(':')
  const name = (colon < 0 ? decoded : decoded.slice(0, colon)).trim()
  if (name !== '') return parseTokenAndCallerId(name)
  if (colon >= 0 && colon < decoded.length - 1)
    fail('forbidden', 'Send the token as the username of the Basic credentials')
  return undefined
}

/** Parses trimmed text: `token` or `token callerId`. */
function parseTokenAndCallerId(text: string): PresentedToken {
  const blank = text.indexOf(' ')
  if (blank < 0) return { token: text }
  return { token: text.slice(0, blank), callerId: parseCallerId(text.slice(blank + 1).trim()) }
}

/** Characters that are invisible, or that change how others are displayed. */
const invisibleCharacters = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

function parseCallerId(text: string): string {
  const callerId = decodeUtf8(text)
  if (callerId.length > maxCallerIdLength || invisibleCharacters.test(callerId))
    fail(
      'invalid-request-structure',
      `The caller ID after the token can have at most ${maxCallerIdLength} printable characters`
    )
  return callerId
}

/** Decodes UTF-8 that was read as Latin-1: Node does so with headers, whereas clients write UTF-8. */
function decodeUtf8(text: string): string {
  const bytes = Buffer.from(text, 'latin1')
  const isBytes = bytes.length <= 4 * maxCallerIdLength && bytes.toString('latin1') === text
  return isBytes && isUtf8(bytes) ? bytes.toString() : text
}
