/** Cookies of the service's own pages, which scripts cannot read and other hosts cannot set. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '../core/settings/config.js'

type CookieConfig = Pick<Config, 'publicUrl'>

/** The value and attributes of a cookie. */
interface CookieSetting {
  readonly value: string
  /** Seconds. */
  readonly maxAge: number
  readonly sameSite: 'Lax' | 'Strict'
}

/** Returns all values of a cookie in a request. Without TLS, other hosts can add cookies of the same name. */
export function getCookieValues(
  { cookie = '' }: IncomingHttpHeaders,
  config: CookieConfig,
  name: string
): string[] {
  const start = `${getFullName(config, name)}=`
  // Other white space is part of the name: browsers do not recognise a prefix after it.
  const parts = cookie.split(/;[ \t]*/)
  return parts.filter(part => part.startsWith(start)).map(part => part.slice(start.length))
}

/** Returns the value of a `Set-Cookie` header. */
export function formatSetCookie(
  config: CookieConfig,
  name: string,
  { maxAge, sameSite, value }: CookieSetting
): string {
  const common = `${getFullName(config, name)}=${value}; Max-Age=${maxAge}; Path=/; HttpOnly; SameSite=${sameSite}`
  return isSecure(config) ? `${common}; Secure` : common
}

/**
 * Returns the name with the `__Host-` prefix, with which browsers let no other host set the cookie. The prefix requires
 * TLS.
 */
function getFullName(config: CookieConfig, name: string): string {
  return isSecure(config) ? `__Host-${name}` : name
}

function isSecure({ publicUrl }: CookieConfig): boolean {
  return publicUrl.startsWith('https:')
}
