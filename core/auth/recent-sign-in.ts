/**
 * A recent sign-in, as proof of identity: with a stolen session alone, an attacker must not be able to add a sign-in
 * method that outlives it. (docs/spec/identities.md#linking)
 */
import { fail } from '../errors.js'
import type { Call } from '../call/method.js'

/** Seconds for which a sign-in counts as recent. */
export const recentSignInSeconds = 600

/** Returns whether the caller's session began within the last {@link recentSignInSeconds} seconds. */
export function isRecentSignIn({ caller, now, store }: Call): boolean {
  const time = store.sessions.findSignIn(caller.accessId)?.time
  return time !== undefined && now - time <= recentSignInSeconds
}

/** Throws `invalid-operation` (`proof-missing`) unless the caller has recently signed in. */
export function requireRecentSignIn(call: Call): void {
  if (!isRecentSignIn(call)) fail('invalid-operation', 'Sign in again first', { code: 'proof-missing' })
}
