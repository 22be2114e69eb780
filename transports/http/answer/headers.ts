/** Headers that every response has. (docs/spec/conventions.md#response-headers) */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { keepHeads } from './at-once.js'
import { pageHeader, withoutPageHeader } from '../../page-sessions.js'
import type { Config } from '../../../core/settings/config.js'

/** Names and values alternately, as Node's `writeHead` takes them. */
export type Headers = readonly string[]

const verbs = 'POST, GET, PUT, DELETE, OPTIONS'
const oneYear = '31536000'
/** Headers that some responses have, and scripts of other origins may read. */
const exposed = [
  'Retry-After',
  'ETag',
  'Location',
  'WWW-Authenticate',
  'Content-Disposition',
  'Content-Range',
  'Accept-Ranges',
  'Digest'
]

/** Returns a function for the headers that every response to a request has, whatever the outcome. */
export function commonHeaders(config: Config): (request: IncomingMessage) => Headers {
  const { apiVersion, accessIdHeader } = config
  const always = Object.entries({
    'API-Version': apiVersion,
    'Access-Control-Expose-Headers': ['API-Version', accessIdHeader, ...exposed].join(', '),
    'Access-Control-Max-Age': oneYear,
    // This grants nothing: cookies authenticate calls of our own pages only.
    // (docs/spec/conventions.md#cross-origin-requests)
    'Access-Control-Allow-Credentials': 'true',
    Vary: 'Origin',
    'X-Content-Type-Options': 'nosniff'
  }).flat()
  const headersFor = (origin = '*', verb = verbs, names = 'Authorization, Content-Type'): Headers => [
    ...always,
    'Access-Control-Allow-Origin',
    origin,
    'Access-Control-Allow-Methods',
    verb,
    'Access-Control-Allow-Headers',
    names
  ]
  const usual = headersFor()
  keepHeads(usual)
  return ({ headers }) => {
    const origin = headers.origin
    const verb = headers['access-control-request-method']
    const names = allowedOf(headers['access-control-request-headers'])
    return origin === undefined && verb === undefined && names === undefined
      ? usual
      : headersFor(origin, verb, names)
  }
}

/** The header of our own pages is never allowed to other origins. */
function allowedOf(names: string | undefined): string | undefined {
  return names?.toLowerCase().includes(pageHeader) ? withoutPageHeader(names).join(', ') : names
}

/** Sets those headers that a response does not have yet. */
export function setMissing(response: ServerResponse, headers: Headers): void {
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i]!
    if (!response.hasHeader(name)) response.setHeader(name, headers[i + 1]!)
  }
}
