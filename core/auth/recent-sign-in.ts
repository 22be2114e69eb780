/**
 * Having signed in a moment ago, as proof of who is there: whoever has got hold of a session must not make themselves a way in
 * that outlives it. (docs/spec/identities.md#linking)
 */
import { fail } from '../errors.js'
import type { Call } from '../call/method.js'

/** Seconds for which having signed in is proof. */
export const recentSignInSeconds = 600

/** Whether the caller's session began within the last {@link recentSignInSeconds} seconds. */
export function isRecentSignIn({ caller, now, store }: Call): boolean {
  const time = store.sessions.findSignIn(caller.accessId)?.time
  return time !== undefined && now - time <= recentSignInSeconds
}

/** Throws `invalid-operation` (`proof-missing`) unless the caller has just signed in. */
export function requireRecentSignIn(call: Call): void {
  if (!isRecentSignIn(call)) fail('invalid-operation', 'Sign in again first', { code: 'proof-missing' })
}
