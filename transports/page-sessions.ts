/**
 * Sessions of the service's own pages, which survive a reload: the token is in a cookie that scripts cannot read, and
 * the cookie is accepted from these pages only. (docs/spec/authentication.md#sessions-of-pages)
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { PageSession } from '../core/call/credentials.js'
import type { SharedServices } from '../core/call/dispatcher.js'
import { parseUrl } from '../core/parse-url.js'
import type { Config } from '../core/settings/config.js'
import { getCookieValues, formatSetCookie } from './own-cookies.js'

/**
 * The header that the pages send with each request. Other origins cannot send the header: the responses to CORS
 * preflight requests do not allow it.
 */
export const pageHeader = 'coffer-app'

const cookieName = 'coffer-session'
/** Maximum number of session cookies in one request that are tried. */
const maxSessions = 4

/** The settings that page sessions need. */
export type PageConfig = Pick<Config, 'publicUrl'> & { readonly auth: Pick<Config['auth'], 'sessionMaxAge'> }

/**
 * Returns whether a request comes from one of the service's own pages: it has the header {@link pageHeader}, and the
 * browser reports its origin as this host or the host of `publicUrl`. Browsers may omit `Origin` for requests of the
 * same origin.
 */
export function isOwnPage(headers: IncomingHttpHeaders, { publicUrl }: PageConfig): boolean {
  if (headers[pageHeader] !== '1') return false
  const { host, origin } = headers
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  if (origin === undefined) return true
  const own = new URL(publicUrl)
  const from = parseUrl(origin)
  // Pages of the same host over plain HTTP could come from anyone on the network.
  return origin === own.origin || (from?.host === host && from?.protocol === own.protocol)
}

/**
 * Returns the sessions in the cookies of a request, at most {@link maxSessions}, if the request comes from one of our own pages. Returns
 * an empty list otherwise.
 */
export function getPageSessions(headers: IncomingHttpHeaders, config: PageConfig): PageSession[] {
  if (headers.cookie === undefined || !isOwnPage(headers, config)) return []
  return getCookieValues(headers, config, cookieName).slice(0, maxSessions).flatMap(parseSession)
}

function parseSession(value: string): PageSession[] {
  const [, username, token] = /^([a-z0-9-]{1,100})\.([\w.~-]{1,256})[ \t]*$/.exec(value) ?? []
  return username !== undefined && token !== undefined ? [{ username, token }] : []
}

/**
 * Returns the session of a user among page sessions, whose users may have changed their names since they
 * signed in. Returns `undefined` if there is none.
 */
export function findPageSession(
  sessions: readonly PageSession[],
  accounts: Pick<SharedServices['accounts'], 'findServed'>,
  user: string | undefined
): PageSession | undefined {
  if (sessions.length === 0 || user === undefined) return undefined
  const same = sessions.find(({ username }) => username === user)
  const account = same ? undefined : accounts.findServed(user)
  if (!account || account.alias !== undefined) return same
  return sessions.find(({ username }) => accounts.findServed(username)?.id === account.id)
}

/**
 * Returns the token of the page session in a request, if that session belongs to this user. Returns
 * `undefined` otherwise.
 */
export function getPageToken(
  headers: IncomingHttpHeaders,
  { accounts, config }: Pick<SharedServices, 'accounts' | 'config'>,
  user: string | undefined
): string | undefined {
  // Fast path: hardly any request has this header.
  if (headers[pageHeader] === undefined) return undefined
  return findPageSession(getPageSessions(headers, config), accounts, user)?.token
}

/** Returns the value of a `Set-Cookie` header that starts a page session; without a session, a value that ends it. */
export function formatPageCookie(config: PageConfig, session?: PageSession): string {
  const value = session ? `${session.username}.${session.token}` : ''
  const age = session ? config.auth.sessionMaxAge : 0
  return formatSetCookie(config, cookieName, { value, maxAge: age, sameSite: 'Strict' })
}

/** Returns the names of an `Access-Control-Request-Headers` without the header of our own pages. */
export function removePageHeader(names: string): string[] {
  return names
    .split(',')
    .map(name => name.trim())
    .filter(name => name.toLowerCase() !== pageHeader)
}
