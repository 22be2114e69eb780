/** Reads what clients of OAuth send: a form, and perhaps their id and secret in Basic credentials. (RFC 6749, 2.3.1) */
import type { IncomingMessage } from 'node:http'
import { failOAuth } from '../../../core/oauth/errors.js'
import type { Query } from '../request/query.js'
import type { Exchange } from '../exchange.js'

/** The parameters of a form. Throws `invalid_request` for any other body, and for a parameter that is there twice. */
export function formOf({ state }: Exchange): Record<string, string> {
  if (!state.form) failOAuth('invalid_request', 'The body must be a form (application/x-www-form-urlencoded)')
  return single(state.form.body)
}

/** The form of a client that proves who it is: in the form itself, or in Basic credentials, but not in both. */
export function clientForm(exchange: Exchange): Record<string, string> {
  const form = formOf(exchange)
  const basic = basicOf(exchange.req)
  if (!basic) return form
  const { client_id: id, client_secret: secret } = form
  if (secret !== undefined || (id !== undefined && id !== basic.client_id))
    failOAuth(
      'invalid_request',
      'Send the client credentials either in the form or in the Authorization header, not both'
    )
  return { ...form, ...basic }
}

/** The parameters of a query or form as they came, several values where one was repeated. */
export function paramsOf(query: Query): Record<string, string | readonly string[]> {
  return Object.fromEntries(query)
}

function single(body: unknown): Record<string, string> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    failOAuth('invalid_request', 'The form is malformed')
  const entries = Object.entries(body).filter(([name]) => name !== 'resource')
  for (const [name, value] of entries)
    if (typeof value !== 'string')
      failOAuth('invalid_request', `The parameter ${name.slice(0, 50)} is repeated or not text`)
  // An empty parameter counts as absent. (RFC 6749, 3.2)
  return Object.fromEntries(entries.filter(([, value]) => value !== ''))
}

/** Both parts are encoded as in a form. */
function basicOf({
  headers: { authorization = '' }
}: IncomingMessage): { client_id: string; client_secret: string } | undefined {
  if (authorization === '') return undefined
  if (authorization.length > longest || authorization.slice(0, 6).toLowerCase() !== 'basic ')
    return failOAuth('invalid_client', 'Send the client credentials as Basic credentials, or in the form')
  const decoded = Buffer.from(authorization.slice(6).trim(), 'base64').toString()
  const colon = decoded.indexOf(':')
  if (colon < 1) return failOAuth('invalid_client', 'The credentials must contain a client ID and a secret')
  return { client_id: textOf(decoded.slice(0, colon)), client_secret: textOf(decoded.slice(colon + 1)) }
}

/** Characters of a header that is looked into. */
const longest = 4096

function textOf(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch {
    return failOAuth('invalid_client', 'The credentials are not properly percent-encoded')
  }
}
