/** Authorization codes: each is valid for one attempt, and for a minute. (docs/api/oauth.md#codes) */
import type { AuthRequest } from '../../schemas/auth-request.js'
import type { IdentityScope, OAuthRequest } from '../../schemas/oauth.js'
import type { StoredRequest } from '../../storage/platform/auth-requests.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { fail } from '../errors.js'
import { getPresentedToken } from '../auth/authenticate.js'
import { isSessionOpen } from '../auth/personal-access.js'
import { findSignInTime, recentSignInSeconds } from '../auth/recent-sign-in.js'
import { requestLifetime } from '../accesses/auth-requests.js'
import type { Access } from '../../schemas/access.js'
import type { ServiceCall } from '../call/method.js'
import { recordOAuthAction } from './audit.js'
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'
import { matchesRequest } from './client-data.js'
import { createCode } from './tokens.js'

/** What a code stands for. */
export interface CodeGrant {
  readonly client: string
  readonly clientName?: string
  readonly redirectUri: string
  readonly challenge: string
  readonly scopes: readonly IdentityScope[]
  readonly nonce?: string
  readonly accessId: string
  /** When the person signed in, in seconds. */
  readonly authTime?: number
  /** For how long the client asks, in seconds. */
  readonly lifetime?: number
}

/** A request that came by OAuth. */
export type OAuthKnownRequest = StoredRequest & {
  readonly request: AuthRequest & { readonly oauth: OAuthRequest }
}

/** Returns whether a request came by OAuth. */
export function isOAuthRequest(known: StoredRequest): known is OAuthKnownRequest {
  return known.request.oauth !== undefined
}

/** Seconds for which a code can be used, and for which used codes are remembered. */
export const codeLifetime = 60
const usedCodeLifetime = 3600
/** Tolerance in seconds for rounding errors. */
const tolerance = 1
/** Maximum number of codes of an account; the oldest are removed. */
const maxCodes = 50

/**
 * Creates a code for an access that the user has granted. Throws `forbidden` if the access was granted for
 * another request, belongs to a different user from the one that the client requested, if nothing proves that
 * the user has decided, or if the sign-in is older than the client allows. Records the consent in the audit.
 */
export async function issueCode(
  call: ServiceCall,
  store: UserStore,
  known: OAuthKnownRequest,
  { access, account }: { readonly access: Access; readonly account: Account }
): Promise<string> {
  const { key, request } = known
  const { oauth } = request
  if (!matchesRequest(access, request)) fail('forbidden', 'The access was not approved for this request')
  assertRequestedAccount(call.services, request, account)
  const authTime = getSignInTime(call, store)
  assertDecidedByOwner(store, known, access, authTime)
  assertSignInAge(known, oauth, authTime, call.now)
  const { challenge, clientName, nonce, redirectUri, scopes } = oauth
  const use: CodeGrant = {
    client: request.requestingAppId,
    redirectUri,
    challenge,
    scopes,
    accessId: access.id,
    ...(clientName !== undefined && { clientName }),
    ...(nonce !== undefined && { nonce }),
    ...(authTime !== undefined && { authTime }),
    ...(typeof request.expireAfter === 'number' && { lifetime: request.expireAfter })
  }
  const code = createCode(key)
  await store.write(() => {
    store.signIn.keepLatest('oauth-code', maxCodes - 1)
    store.signIn.insert('oauth-code', code, call.now, call.now + codeLifetime, use)
    recordOAuthAction({ ...call, store }, 'oauth.consent.granted', access.id)
  })
  return code
}

/** Throws `forbidden` if the OAuth client requests a different account. */
export function assertRequestedAccount(
  { accounts }: Pick<Services, 'accounts'>,
  { oauth }: AuthRequest,
  { id }: Account
): void {
  if (oauth?.username !== undefined && accounts.find(oauth.username)?.id !== id)
    fail('forbidden', `The app requests the account "${oauth.username}". Sign in to that account`, {
      code: 'other-account'
    })
}

/**
 * Returns the grant of a code; `isUsed`: the code has been presented before. Returns `undefined` for unknown
 * and expired codes.
 */
export function findCode(
  store: UserStore,
  code: string,
  now: number
): { readonly use: CodeGrant; readonly isUsed: boolean } | undefined {
  const fresh = store.signIn.find('oauth-code', code, now) as CodeGrant | undefined
  if (fresh) return { use: fresh, isUsed: false }
  const used = store.signIn.find('oauth-used', code, now) as CodeGrant | undefined
  return used && { use: used, isUsed: true }
}

/** Marks a code as used: a second use ends the access of `use`. Must run within a transaction. */
export function spendCode(store: UserStore, code: string, use: CodeGrant, now: number): void {
  store.signIn.remove(code)
  store.signIn.keepLatest('oauth-used', maxCodes - 1)
  store.signIn.insert('oauth-used', code, now, now + usedCodeLifetime, use)
}

/** Returns when the user who decides signed in, in seconds; `undefined` if the call has no session of this account. */
function getSignInTime({ credentials, now, services }: ServiceCall, store: UserStore): number | undefined {
  const token = getPresentedToken(credentials)
  const session = token === undefined ? undefined : store.accesses.findByToken(token)
  if (session?.type !== 'personal' || !isSessionOpen(services.config, store, session.id, now))
    return undefined
  return findSignInTime(store, session, credentials.ip) ?? session.modified
}

/**
 * Throws `forbidden` where the app itself may have decided: it knows the token once it holds the access, and an
 * attacker who has stolen that token must not get codes, refresh tokens and ID tokens for it. Even if an access older
 * than the request has no grant, an app may hold its token: importing an account archive restores accesses, but no
 * grants.
 */
function assertDecidedByOwner(
  store: UserStore,
  { expires }: StoredRequest,
  access: Access,
  authTime: number | undefined
): void {
  const isOlder = access.created + tolerance < expires - requestLifetime
  if (authTime === undefined && (isOlder || store.oauthGrants.list(access.id).length > 0))
    fail('forbidden', 'The app already has this access. Sign in to approve the request')
}

/**
 * Throws `forbidden` if the user signed in before the request although it asks for a new sign-in, or too long
 * ago.
 */
function assertSignInAge(
  { expires }: StoredRequest,
  { maxAge, prompts }: OAuthRequest,
  authTime: number | undefined,
  now: number
): void {
  const asked = expires - requestLifetime
  const earliestSignIn =
    prompts.includes('login') || prompts.includes('select_account')
      ? asked
      : maxAge === undefined
        ? -Infinity
        : now - maxAge
  // A sign-in for the request happens after the request was made.
  if (
    earliestSignIn === -Infinity ||
    (authTime !== undefined &&
      authTime + tolerance >= Math.min(earliestSignIn, asked) &&
      // Not while the clock was ahead.
      authTime <= now + recentSignInSeconds)
  )
    return
  fail('forbidden', 'The app requires you to sign in again')
}
