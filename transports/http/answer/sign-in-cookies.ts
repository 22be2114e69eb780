/** The cookies in responses to signing in and out. */
import type { SharedServices } from '../../../core/call/dispatcher.js'
import type { Success } from '../../../core/call/outcome.js'
import { joinMembers } from '../../../core/json/json-text.js'
import type { Config } from '../../../core/settings/config.js'
import { formatPageCookie } from '../../page-sessions.js'
import type { Exchange } from '../exchange.js'

/**
 * Sets the SSO cookie of a user at login, or clears it at logout. The cookie tells pages of the same site who has
 * signed in, and nothing else. The service itself never reads it. (docs/spec/authentication.md#the-sso-cookie)
 */
export function setSsoCookie(
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

/**
 * Sets the cookie that starts a page session after a sign-in, or ends it. Returns the outcome without the token.
 * (docs/spec/authentication.md#sessions-of-pages)
 */
export function applyPageSession(
  { res }: Exchange,
  { config }: SharedServices,
  outcome: Success,
  username: string
): Success {
  const { signedIn } = outcome.facts ?? {}
  const session = signedIn && { username, token: signedIn.token }
  res.appendHeader('Set-Cookie', formatPageCookie(config, session))
  return signedIn ? { ...outcome, members: joinMembers(signedIn.publicResult) } : outcome
}
