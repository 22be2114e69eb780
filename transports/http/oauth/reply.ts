/** Answers in the forms of OAuth: JSON without `meta`, errors as RFC 6749 has them, redirects. */
import type { ApiError } from '../../../core/errors.js'
import { toProtocolError } from '../../../core/oauth/errors.js'
import { replyText } from '../answer/reply.js'
import type { Exchange } from '../exchange.js'

const json = 'application/json; charset=utf-8'

/** Sends a document. Nothing of what these routes tell is to be kept unless it says so. */
export function replyJson(exchange: Exchange, status: number, text: string, cache = 'no-store'): void {
  exchange.res.setHeader('Cache-Control', cache)
  replyText(exchange, status, text, json)
}

/** Sends the person on. */
export function replyRedirect(exchange: Exchange, to: string): void {
  const { res } = exchange
  res.setHeader('Location', to)
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('Referrer-Policy', 'no-referrer')
  // A form that is sent again elsewhere would take its content along: 303 has it fetched.
  replyText(exchange, 303)
}

/** Sends an error. Whoever failed to prove something is told how to. (RFC 6749, 5.2; RFC 6750, 3) */
export function replyOAuthError(exchange: Exchange, error: ApiError): void {
  const { details, status } = error
  const told = toProtocolError(error)
  const { res } = exchange
  if (details.retryAfter !== undefined) res.setHeader('Retry-After', String(Math.ceil(details.retryAfter)))
  if (told.error === 'invalid_client') res.setHeader('WWW-Authenticate', 'Basic realm="clients"')
  if (told.error === 'invalid_token' || told.error === 'insufficient_scope')
    res.setHeader(
      'WWW-Authenticate',
      `Bearer error="${told.error}", error_description="${told.error_description}"`
    )
  replyJson(exchange, status, JSON.stringify(told))
}

/** Whether a request is one whose errors have the form of OAuth. */
export function isOfOAuth({ state }: Exchange): boolean {
  return state.address.user === undefined && state.address.segments[0] === 'oauth'
}

/** Whether a request is one with which a person comes from an app. */
export function isAuthorization(exchange: Exchange): boolean {
  return isOfOAuth(exchange) && exchange.state.address.segments.join('/') === 'oauth/authorize'
}
