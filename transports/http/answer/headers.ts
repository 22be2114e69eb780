/** Headers that every response has. (docs/spec/conventions.md#response-headers) */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { cacheHeads } from './one-write.js'
import { pageHeader, removePageHeader } from '../../page-sessions.js'
import type { Config } from '../../../core/settings/config.js'

/** Names and values alternately, as Node's `writeHead` takes them. */
export type Headers = readonly string[]

const verbs = 'POST, GET, PUT, DELETE, OPTIONS'
const oneYear = '31536000'
/** Response headers that scripts of other origins may read. */
const exposedHeaders = [
  'Retry-After',
  'ETag',
  'Location',
  'WWW-Authenticate',
  'DPoP-Nonce',
  'Content-Disposition',
  'Content-Range',
  'Accept-Ranges',
  'Digest'
]

/** Returns a function that returns the headers of every response to a request, whatever the outcome. */
export function createCommonHeaders(config: Config): (request: IncomingMessage) => Headers {
  const { apiVersion, accessIdHeader } = config
  const constantHeaders = Object.entries({
    'API-Version': apiVersion,
    'Access-Control-Expose-Headers': ['API-Version', accessIdHeader, ...exposedHeaders].join(', '),
    'Access-Control-Max-Age': oneYear,
    // This grants nothing: cookies authenticate calls of our own pages only.
    // (docs/spec/conventions.md#cross-origin-requests)
    'Access-Control-Allow-Credentials': 'true',
    Vary: 'Origin',
    'X-Content-Type-Options': 'nosniff'
  }).flat()
  const buildHeaders = (origin = '*', verb = verbs, names = 'Authorization, Content-Type, DPoP'): Headers => [
    ...constantHeaders,
    'Access-Control-Allow-Origin',
    origin,
    'Access-Control-Allow-Methods',
    verb,
    'Access-Control-Allow-Headers',
    names
  ]
  const defaultHeaders = buildHeaders()
  cacheHeads(defaultHeaders)
  return ({ headers }) => {
    const origin = headers.origin
    const verb = headers['access-control-request-method']
    const names = getAllowedHeaders(headers['access-control-request-headers'])
    return origin === undefined && verb === undefined && names === undefined
      ? defaultHeaders
      : buildHeaders(origin, verb, names)
  }
}

/** Returns the requested headers that are allowed: never the header of our own pages. */
function getAllowedHeaders(names: string | undefined): string | undefined {
  return names?.toLowerCase().includes(pageHeader) ? removePageHeader(names).join(', ') : names
}

/** Returns whether an `If-None-Match` header lists this tag, so that the client has the current version. */
export function matchesETag(header: string | undefined, tag: string): boolean {
  return (header ?? '').split(',').some(one => one.trim() === '*' || one.trim().replace(/^W\//, '') === tag)
}

/** Sets the headers that a response does not have yet. */
export function setMissingHeaders(response: ServerResponse, headers: Headers): void {
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i]!
    if (!response.hasHeader(name)) response.setHeader(name, headers[i + 1]!)
  }
}
