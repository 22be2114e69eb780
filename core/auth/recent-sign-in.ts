/**
 * A recent sign-in, as proof of identity: with a stolen session alone, an attacker must not be able to add a sign-in
 * method that outlives it. (docs/spec/identities.md#linking)
 */
import { fail } from '../errors.js'
import type { Call } from '../call/method.js'
import { getNetwork } from '../security/network.js'

/** Seconds for which a sign-in counts as recent. */
export const recentSignInSeconds = 600

/**
 * Returns whether the caller has signed in within the last {@link recentSignInSeconds} seconds. The session of another
 * app keeps its token when the user signs in again, so that others may have had it before: then only calls from
 * the network of that sign-in count.
 */
export function isRecentSignIn({ caller: { access }, credentials, now, store }: Call): boolean {
  const signIn = access && store.sessions.findSignIn(access.id)
  if (!signIn || now - signIn.time > recentSignInSeconds) return false
  const isTokenNew = access.modified >= signIn.time
  return isTokenNew || getNetwork(signIn.address) === getNetwork(credentials.ip)
}

/** Throws `invalid-operation` (`proof-missing`) unless the caller has recently signed in. */
export function requireRecentSignIn(call: Call): void {
  if (!isRecentSignIn(call)) fail('invalid-operation', 'Sign in again first', { code: 'proof-missing' })
}
