/**
 * A recent sign-in, as proof of identity: with a stolen session alone, an attacker must not be able to add a sign-in
 * method that outlives it. (docs/spec/identities.md#linking)
 */
import type { Access } from '../../schemas/access.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { fail } from '../errors.js'
import type { Call } from '../call/method.js'
import { getNetwork } from '../security/network.js'

/** Seconds for which a sign-in counts as recent. */
export const recentSignInSeconds = 600

/**
 * Returns when the user who calls from an address signed in to a session, in seconds; `undefined` if no sign-in was
 * recorded. The session of another app keeps its token when the user signs in again, so that others may have had it
 * before: calls from another network than that of the sign-in count since the token was issued.
 */
export function findSignInTime(
  { sessions }: Pick<UserStore, 'sessions'>,
  { id, modified }: Access,
  ip: string
): number | undefined {
  const signIn = sessions.findSignIn(id)
  if (!signIn) return undefined
  // A personal access changes only when it gets a new token. If that was while the clock was ahead, its age is unknown.
  return getNetwork(signIn.address) === getNetwork(ip) ? signIn.time : modified
}

/**
 * Returns whether the caller has signed in within the last {@link recentSignInSeconds} seconds. A sign-in while the clock was ahead does
 * not count until the clock is there again.
 */
export function isRecentSignIn({
  caller: { access },
  credentials,
  now,
  store
}: Pick<Call, 'caller' | 'credentials' | 'now' | 'store'>): boolean {
  const time = access && findSignInTime(store, access, credentials.ip)
  return time !== undefined && Math.abs(now - time) <= recentSignInSeconds
}

/** Throws `invalid-operation` (`proof-missing`) unless the caller has recently signed in. */
export function requireRecentSignIn(call: Call): void {
  if (!isRecentSignIn(call)) fail('invalid-operation', 'Sign in again first', { code: 'proof-missing' })
}
