/** Finds the token in a request of an app: apps offer different fields for it. (docs/api/connections.md#where-the-token-may-stand) */
import { createHash } from 'node:crypto'
import { getText } from '../../imports/formats/json-files.js'
import type { IncomingRequest } from '../receive-endpoint.js'

/** Names of query parameters that may contain the token. They are not passed to dialects. */
const queryNames = ['auth', 'token', 'api_key']
/** The form of the tokens of connections. */
const tokenPattern = /^c[a-z0-9]{24}$/
const digestPattern = /^[0-9a-f]{40}$/i
/** The path from which apps of Nightscout get a token for its version 3. */
const authorizationPath = /^api\/v2\/authorization\/request\/([^/]+)$/
/** Maximum length of a header that is parsed. */
const maxHeaderLength = 4096

/** A request without its token. */
interface PresentedRequest {
  readonly token: string | undefined
  /** Path after the dialect and the token. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
}

/**
 * Separates the token from the rest of a request. `segments`: the path after the dialect. `token` is
 * `undefined` if there is none; with `sendsDigest`, it is a SHA-1.
 */
export function takeToken(
  { headers, query }: Pick<IncomingRequest, 'headers' | 'query'>,
  segments: readonly string[],
  sendsDigest = false
): PresentedRequest {
  const isInPath = segments[0]?.startsWith('~') === true
  const path = (isInPath ? segments.slice(1) : segments).join('/')
  const names = sendsDigest ? [...queryNames, 'secret'] : queryNames
  const rest = Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name)))
  const candidates = [
    ...(sendsDigest ? [headers['api-secret'] ?? '', authorizationPath.exec(path)?.[1] ?? ''] : []),
    ...(isInPath ? [segments[0]!.slice(1)] : []),
    ...listInHeader(headers['authorization']),
    headers['x-api-key'] ?? '',
    ...names.map(name => query[name] ?? '')
  ].map(text => text.trim())
  const given = candidates.find(text => tokenPattern.test(text)) ?? candidates.find(text => text !== '')
  const token = sendsDigest ? toDigest(given) : given
  return { token, path, query: rest }
}

/**
 * Finds the token in the body of an app that sends it in its only or first document, as `secret` or `token`;
 * returns its SHA-1. Returns `undefined` if there is none.
 */
export function findDigestInBody(body: Buffer): string | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(body.toString())
  } catch {
    return undefined
  }
  const [first] = Array.isArray(parsed) ? (parsed as readonly unknown[]) : [parsed]
  return toDigest(getText(first, 'secret') ?? getText(first, 'token'))
}

/** Returns the SHA-1 of a token in lower-case hex, unless that was sent. */
function toDigest(token: string | undefined): string | undefined {
  if (token === undefined || digestPattern.test(token)) return token?.toLowerCase()
  return createHash('sha1').update(token).digest('hex')
}

/** Lists what may be the token in an `Authorization` header: `Bearer t`, `Token t`, `t`, or the password or user of Basic. */
function listInHeader(header = ''): string[] {
  if (header.length > maxHeaderLength) return []
  const text = header.trim()
  const blank = text.search(/\s/)
  const [scheme, rest] = blank < 0 ? [text, ''] : [text.slice(0, blank), text.slice(blank)]
  switch (scheme.toLowerCase()) {
    case 'bearer':
    case 'token':
      return [rest]
    case 'basic':
      return listInBasic(Buffer.from(rest, 'base64').toString())
    default:
      return [scheme]
  }
}

/** Lists the password and the user name of Basic credentials. */
function listInBasic(text: string): string[] {
  const colon = text.indexOf(':')
  return colon < 0 ? [text] : [text.slice(colon + 1), text.slice(0, colon)]
}
