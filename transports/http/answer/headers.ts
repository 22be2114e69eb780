/** Headers of every answer. (docs/spec/conventions.md#response-headers) */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Config } from '../../../core/settings/config.js'

/** Names and values in turn, as Node takes them. */
export type Headers = readonly string[]

const verbs = 'POST, GET, PUT, DELETE, OPTIONS'
const oneYear = '31536000'

/** A function that tells the headers that every answer to a request has, whatever becomes of the call. */
export function commonHeaders(config: Config): (request: IncomingMessage) => Headers {
  const { apiVersion, accessIdHeader } = config
  const always = Object.entries({
    'API-Version': apiVersion,
    'Access-Control-Expose-Headers': `API-Version, ${accessIdHeader}`,
    'Access-Control-Max-Age': oneYear,
    // No cookie ever authenticates a call, so this gives nothing away. (docs/spec/conventions.md#cross-origin-requests)
    'Access-Control-Allow-Credentials': 'true',
    Vary: 'Origin',
    'X-Content-Type-Options': 'nosniff'
  }).flat()
  const answering = (origin = '*', verb = verbs, names = 'Authorization, Content-Type'): Headers => [
    ...always,
    'Access-Control-Allow-Origin',
    origin,
    'Access-Control-Allow-Methods',
    verb,
    'Access-Control-Allow-Headers',
    names
  ]
  const usual = answering()
  return ({ headers }) => {
    const origin = headers.origin
    const verb = headers['access-control-request-method']
    const names = headers['access-control-request-headers']
    return origin === undefined && verb === undefined && names === undefined
      ? usual
      : answering(origin, verb, names)
  }
}

/** Sets headers that an answer does not have yet. */
export function setMissing(response: ServerResponse, headers: Headers): void {
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i]!
    if (!response.hasHeader(name)) response.setHeader(name, headers[i + 1]!)
  }
}
