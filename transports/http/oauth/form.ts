/** Reads the forms that OAuth clients send, and their id and secret in Basic credentials, if any. (RFC 6749, 2.3.1) */
import type { IncomingMessage } from 'node:http'
import { failOAuth } from '../../../core/oauth/errors.js'
import type { Query } from '../request/query.js'
import type { Exchange } from '../exchange.js'

/**
 * Returns the parameters of a form. Throws `invalid_request` for a body that is no form, and for repeated parameters.
 */
export function readForm({ state }: Exchange): Record<string, string> {
  if (!state.form) failOAuth('invalid_request', 'The body must be a form (application/x-www-form-urlencoded)')
  return toSingleValues(state.form.body)
}

/**
 * Returns the form of a client with its credentials, which are in the form or in the `Authorization` header. Throws if
 * they are in both.
 */
export function readClientForm(exchange: Exchange): Record<string, string> {
  const form = readForm(exchange)
  const basic = parseBasic(exchange.req)
  if (!basic) return form
  const { client_id: id, client_secret: secret } = form
  if (secret !== undefined || (id !== undefined && id !== basic.client_id))
    failOAuth(
      'invalid_request',
      'Send the client credentials either in the form or in the Authorization header, not both'
    )
  return { ...form, ...basic }
}

/** Returns the parameters of a query or form, with several values for repeated ones. */
export function toParams(query: Query): Record<string, string | readonly string[]> {
  return Object.fromEntries(query)
}

function toSingleValues(body: unknown): Record<string, string> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    failOAuth('invalid_request', 'The form is malformed')
  const entries = Object.entries(body).filter(([name]) => name !== 'resource')
  for (const [name, value] of entries)
    if (typeof value !== 'string')
      failOAuth('invalid_request', `The parameter ${name.slice(0, 50)} is repeated or not text`)
  // An empty parameter counts as absent. (RFC 6749, 3.2)
  return Object.fromEntries(entries.filter(([, value]) => value !== ''))
}

/** Parses Basic credentials, whose parts are encoded as in a form. */
function parseBasic({
  headers: { authorization = '' }
}: IncomingMessage): { client_id: string; client_secret: string } | undefined {
  if (authorization === '') return undefined
  if (authorization.length > maxHeaderLength || authorization.slice(0, 6).toLowerCase() !== 'basic ')
    return failOAuth('invalid_client', 'Send the client credentials as Basic credentials, or in the form')
  const decoded = Buffer.from(authorization.slice(6).trim(), 'base64').toString()
  const colon = decoded.indexOf(':')
  if (colon < 1) return failOAuth('invalid_client', 'The credentials must contain a client ID and a secret')
  return {
    client_id: decodeText(decoded.slice(0, colon)),
    client_secret: decodeText(decoded.slice(colon + 1))
  }
}

/** Maximum length of a header that is decoded. */
const maxHeaderLength = 4096

function decodeText(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch {
    return failOAuth('invalid_client', 'The credentials are not properly percent-encoded')
  }
}
