/** Sends OAuth responses: JSON without `meta`, errors as RFC 6749 has them, redirects. */
import type { ApiError } from '../../../core/errors.js'
import { toProtocolError } from '../../../core/oauth/errors.js'
import { proofChallenge, replyText } from '../answer/reply.js'
import type { Exchange } from '../exchange.js'

const json = 'application/json; charset=utf-8'

/** Sends JSON. By default, the response must not be cached. */
export function replyJson(exchange: Exchange, status: number, text: string, cache = 'no-store'): void {
  exchange.res.setHeader('Cache-Control', cache)
  // Old, but required of tokens. (RFC 6749, 5.1; SMART App Launch 2.2)
  if (cache === 'no-store') exchange.res.setHeader('Pragma', 'no-cache')
  replyText(exchange, status, text, json)
}

/** Redirects the user. */
export function replyRedirect(exchange: Exchange, url: string): void {
  const { res } = exchange
  res.setHeader('Location', url)
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('Referrer-Policy', 'no-referrer')
  // 303 makes browsers send GET: with 302, they could send the content of a form to the other server.
  replyText(exchange, 303)
}

/** Sends an error, with a challenge if authentication failed. (RFC 6749, 5.2; RFC 6750, 3) */
export function replyOAuthError(exchange: Exchange, error: ApiError): void {
  const { details, status } = error
  const body = toProtocolError(error)
  const { res } = exchange
  if (details.retryAfter !== undefined) res.setHeader('Retry-After', String(Math.ceil(details.retryAfter)))
  if (body.error === 'invalid_client') res.setHeader('WWW-Authenticate', 'Basic realm="clients"')
  if (details.needsProof) res.setHeader('WWW-Authenticate', proofChallenge)
  else if (body.error === 'invalid_token' || body.error === 'insufficient_scope')
    res.setHeader(
      'WWW-Authenticate',
      `Bearer error="${body.error}", error_description="${body.error_description}"`
    )
  replyJson(exchange, status, JSON.stringify(body))
}

/** Returns whether errors of a request have the OAuth format. */
export function isOAuthRequest({ state }: Exchange): boolean {
  return state.address.user === undefined && isOAuthPath(state.address.segments[0])
}

/** Returns whether a path with this first part is one of the OAuth routes, which have two names. */
function isOAuthPath(part: string | undefined): boolean {
  return part === 'oauth' || part === 'oauth2'
}

/** Returns whether an app has redirected the user here to authorise the app. */
export function isAuthorizationRequest(exchange: Exchange): boolean {
  return isOAuthRequest(exchange) && exchange.state.address.segments.slice(1).join('/') === 'authorize'
}
