/**
 * The sign-in cookie: tells pages of the same site who has signed in, and nothing else. The service itself never
 * reads it. (docs/spec/authentication.md#the-sso-cookie)
 */
import type { Config } from '../../../core/settings/config.js'
import type { Exchange } from '../exchange.js'

/** Sets the cookie for a user on login, clears it on logout. */
export function setCookie(
  { res }: Exchange,
  config: Config,
  change: 'set' | 'clear',
  username: string
): void {
  const { sessionMaxAge, ssoCookieDomain } = config.auth
  const value = change === 'set' ? encodeURIComponent(username) : ''
  const parts = [
    `sso=${value}`,
    `Max-Age=${change === 'set' ? sessionMaxAge : 0}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Lax'
  ]
  if (ssoCookieDomain !== '') parts.push(`Domain=${ssoCookieDomain}`)
  if (config.publicUrl.startsWith('https:')) parts.push('Secure')
  res.setHeader('Set-Cookie', parts.join('; '))
}
