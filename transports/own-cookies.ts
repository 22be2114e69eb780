/** Cookies of the service's own pages, which no script can read, nor any other host set. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '../core/settings/config.js'

type CookieConfig = Pick<Config, 'publicUrl'>

/** What a cookie is set with. */
export interface CookieSetting {
  readonly value: string
  /** Seconds. */
  readonly age: number
  readonly sameSite: 'Lax' | 'Strict'
}

/** Returns all values that a request has for a cookie. Without TLS, other hosts can add cookies of the same name. */
export function cookieValues(
  { cookie = '' }: IncomingHttpHeaders,
  config: CookieConfig,
  name: string
): string[] {
  const start = `${fullName(config, name)}=`
  // Other blanks are part of the name: browsers do not see the prefix behind them.
  const parts = cookie.split(/;[ \t]*/)
  return parts.filter(part => part.startsWith(start)).map(part => part.slice(start.length))
}

/** Returns the value of a `Set-Cookie` header. */
export function setCookie(
  config: CookieConfig,
  name: string,
  { age, sameSite, value }: CookieSetting
): string {
  const common = `${fullName(config, name)}=${value}; Max-Age=${age}; Path=/; HttpOnly; SameSite=${sameSite}`
  return isSecure(config) ? `${common}; Secure` : common
}

/** With the `__Host-` prefix, browsers do not let any other host set the cookie. The prefix requires TLS. */
function fullName(config: CookieConfig, name: string): string {
  return isSecure(config) ? `__Host-${name}` : name
}

function isSecure({ publicUrl }: CookieConfig): boolean {
  return publicUrl.startsWith('https:')
}
