/** Reads the credentials of a request: who sends it, and from where. */
import { getPresentedToken } from '../../../core/auth/authenticate.js'
import type { Credentials } from '../../../core/call/credentials.js'
import { getAccountKey } from '../../../core/call/account-key.js'
import type { SharedServices } from '../../../core/call/dispatcher.js'
import type { Config } from '../../../core/settings/config.js'
import type { Request } from '../../../core/call/outcome.js'
import type { BodyReservation } from '../../../core/security/body-reservation.js'
import { findPageSession, getPageSessions, type PageConfig } from '../../page-sessions.js'
import type { Exchange } from '../exchange.js'
import { getFirst } from './query.js'

const readVerbs = new Set(['GET', 'HEAD'])

interface CredentialsOptions {
  /** The client's address. */
  readonly ip: string
  readonly via: Credentials['via']
  /** The user whose page session counts; by default, the user in the address. */
  readonly user?: string | undefined
}

/**
 * Returns the credentials of a request. Without a token, the page session of the user counts, if the request
 * comes from one of our own pages.
 */
export function getCredentials(
  exchange: Exchange,
  { accounts, config }: Pick<SharedServices, 'accounts'> & { readonly config: PageConfig },
  { ip, user = exchange.state.address.user, via }: CredentialsOptions
): Credentials {
  const { headers, method, url } = exchange.req
  // The URL of a form does not identify the request: the params are in its body.
  const identifyingUrl = readVerbs.has(method ?? '') ? url : undefined
  const credentials: { -readonly [K in keyof Credentials]: Credentials[K] } = {
    headers,
    ip,
    via,
    url: identifyingUrl
  }
  const authorization = exchange.state.form?.authorization ?? headers.authorization
  const { query } = exchange.state.address
  const auth = getFirst(query, 'auth')
  if (query.size > 0) credentials.query = query
  if (authorization !== undefined) credentials.authorization = authorization
  if (auth !== undefined) credentials.auth = auth
  const sessions = getPageSessions(headers, config)
  if (sessions.length > 0) credentials.pageSessions = sessions
  const session = findPageSession(sessions, accounts, user)
  if (session && authorization === undefined && auth === undefined) {
    credentials.authorization = session.token
    credentials.isPage = true
  }
  if (headers.origin !== undefined) credentials.origin = headers.origin
  if (headers.referer !== undefined) credentials.referer = headers.referer
  const ifNoneMatch = headers['if-none-match']
  if (ifNoneMatch !== undefined && readVerbs.has(exchange.method)) credentials.ifNoneMatch = ifNoneMatch
  return credentials
}

/** Reserves memory for the body of a call on a user, counted for the account and the token. */
export function reserveBody(
  { accounts, uploadBuffers }: Pick<SharedServices, 'accounts' | 'uploadBuffers'>,
  { credentials, user = '' }: Pick<Request, 'credentials' | 'user'>
): BodyReservation {
  return uploadBuffers.known.admit(getAccountKey({ accounts }, user), getPresentedToken(credentials) ?? '')
}

/**
 * Returns the credentials of a request to a route that operators may call with a page session, too. They have not been verified
 * yet. (docs/spec/administration.md#operators)
 */
export function getOperatorCredentials(
  exchange: Exchange,
  services: Pick<SharedServices, 'accounts'> & { readonly config: PageConfig & Pick<Config, 'operators'> },
  { ip, via }: Omit<CredentialsOptions, 'user'>
): Credentials {
  const { accounts, config } = services
  const sessions = getPageSessions(exchange.req.headers, config)
  // Operators may have changed their names; the settings may contain any of them.
  const operator = config.operators.find(name => findPageSession(sessions, accounts, name))
  const credentials = getCredentials(exchange, services, { ip, via, user: operator })
  return operator !== undefined && credentials.isPage ? { ...credentials, pageUser: operator } : credentials
}
