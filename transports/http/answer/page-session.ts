/** The session of our own pages, in the response to signing in or out. (docs/spec/authentication.md#sessions-of-pages) */
import { joinMembers } from '../../../core/json/json-text.js'
import type { SharedServices } from '../../../core/call/dispatcher.js'
import type { Success } from '../../../core/call/outcome.js'
import { pageCookie } from '../../page-sessions.js'
import type { Exchange } from '../exchange.js'

/** Begins a page session after a sign-in, or ends it. The page itself never gets the token. */
export function withPageSession(
  { res }: Exchange,
  { config }: SharedServices,
  outcome: Success,
  username: string
): Success {
  const { signedIn } = outcome.facts ?? {}
  const session = signedIn && { username, token: signedIn.token }
  res.appendHeader('Set-Cookie', pageCookie(config, session))
  return signedIn ? { ...outcome, members: joinMembers(signedIn.publicResult) } : outcome
}
