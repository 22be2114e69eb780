/**
 * Redeems codes and refresh tokens, each once. A second use means that one of the two clients has stolen it: the access
 * ends. (docs/api/oauth.md#codes; docs/api/oauth.md#refreshing)
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Steps } from '../../storage/steps.js'
import type { StoredGrant } from '../../storage/oauth/oauth-grants.js'
import { requestLifetime } from '../accesses/auth-requests.js'
import { revokeInSteps } from '../accesses/revoke-access.js'
import { getBoundKey } from '../auth/oauth-marks.js'
import type { Call } from '../call/method.js'
import { writeStepsSeparately } from '../call/write-separately.js'
import { codeLifetime, findCode, spendCode, type CodeGrant } from './codes.js'
import { recordOAuthAction } from './audit.js'
import { isConfidential, type Client } from './clients.js'
import { failOAuth } from './errors.js'
import { createClosingError } from '../unknown-user.js'
import { deriveNextToken, findSuccessor, formatRefreshToken, parseRefreshToken } from './tokens.js'
import { isIssued } from './sessions.js'
import { getOfferMark } from '../permissions/offer-session.js'
import type { Access } from '../../schemas/access.js'
import type { IdentityScope } from '../../schemas/oauth.js'
import { formatAccessScope, formatScope, parseAskedScope } from './scope.js'
import { isResourceScope } from './smart-scope.js'

/** How a client requests a token. */
export type GrantType = 'authorization_code' | 'refresh_token' | 'client_credentials'

/** A redeemed code. */
export interface RedeemedCode {
  readonly kind: 'code'
  readonly code: string
  readonly use: CodeGrant
}

/** A refreshed grant: the next refresh token, and when it replaced the previous one (seconds). */
export interface RefreshedGrant {
  readonly kind: 'refresh'
  readonly grant: StoredGrant
  readonly refreshToken: string
  readonly time: number
}

/** What proves that a code belongs to the client. */
export interface CodeProof {
  readonly code?: string | undefined
  readonly redirect_uri?: string | undefined
  readonly code_verifier?: string | undefined
}

/** How a token is refreshed. */
export interface RefreshContext {
  /** The thumbprint of the key that the client has proven. */
  readonly thumbprint: string | undefined
  /** Ends the access of a requester, and tells it. Called within a transaction. */
  readonly endPeerAccess: (call: Call, accessId: string) => Steps<void>
}

/** A client's request to refresh its token. */
export interface RefreshRequest {
  readonly refresh_token?: string | undefined
  readonly scope?: string | undefined
}

/**
 * Redeems a code, which is then used up, with its verifier: there is no second attempt. Throws `invalid_grant`
 * if the code is unknown, used or another client's, or if its redirect URI or verifier is wrong;
 * `invalid_request` if it or the verifier is missing. A code that was used before ends its access; a wrong
 * proof does so if the access was granted for this code alone. `forbidden` for an account that is to be
 * deleted: the code stays valid. Unknown codes count as guesses: `too-many-requests`.
 */
export async function redeemCode(call: Call, client: Client, proof: CodeProof): Promise<RedeemedCode> {
  const { code } = requireProof(proof)
  const found = await writeStepsSeparately(call, function* (store, inCall) {
    const known = findCode(store, code, call.now)
    if (known?.use.client !== client.id) return undefined
    const { isUsed, use } = known
    if (isUsed) {
      yield* revokeAccessById(inCall, use.accessId)
      recordOAuthAction(inCall, 'oauth.code.reused', use.accessId, 400)
      return { use, fault: 'The code has already been used. The access has been revoked' }
    }
    assertOpenAccount(call)
    spendCode(store, code, use, call.now)
    const fault = findProofFault(use, proof)
    if (fault !== undefined) yield* revokeUnused(inCall, use.accessId)
    return { use, fault }
  })
  if (!found) return refuseUnknown(call, proof, 'authorization_code')
  const { fault, use } = found
  if (fault !== undefined) failOAuth('invalid_grant', fault, use.accessId)
  return { kind: 'code', code, use }
}

/** Ends the access of a redeemed code whose exchange is refused after all, if it was granted for this code alone. */
export async function abandonCode(call: Call, { use }: RedeemedCode): Promise<void> {
  await writeStepsSeparately(call, (_store, inCall) => revokeUnused(inCall, use.accessId))
}

/** Returns what is wrong with the proof of a code, which has been consumed; `undefined` if nothing is. */
function findProofFault(
  { challenge, redirectUri }: CodeGrant,
  { code_verifier: verifier = '', redirect_uri: uri }: CodeProof
): string | undefined {
  // A missing redirect URI counts as the one in force, as in OAuth 2.1; any other must be the same.
  if (uri !== undefined && uri !== redirectUri)
    return 'The redirect_uri differs from the one in the authorization request'
  return matchesChallenge(verifier, challenge)
    ? undefined
    : 'The code_verifier does not match the code_challenge'
}

/**
 * Replaces a refresh token by the next one. A token that was replaced within the last seconds gets the same
 * response again, for clients that retry or have lost the response. Throws `invalid_grant` if the token is
 * unknown, expired or another client's; if it was replaced before, its access also ends, and that of the
 * requester of an offer. Throws `invalid_scope` if another scope is requested, and the errors of a key that is
 * not proven: with these, the token stays valid. The audit records a token replaced before, and a key that is
 * not proven. `forbidden` for an account that is to be deleted; unknown tokens count as guesses:
 * `too-many-requests`.
 */
export async function refreshGrant(
  call: Call,
  client: Client,
  renewal: RefreshRequest,
  { endPeerAccess, thumbprint }: RefreshContext
): Promise<RefreshedGrant> {
  const parts = parseRefreshToken(requireRefreshToken(renewal))
  const found = await writeStepsSeparately(call, function* (store, inCall) {
    const known = parts && store.oauthGrants.find(parts)
    if (!known || known.grant.client !== client.id) return undefined
    const { grant, isCurrent } = known
    const access = store.accesses.find(grant.access)
    // The access has to belong to the account under the name that the client knows.
    if (access?.alias !== call.account.alias) return undefined
    // Before anything else: without the key, a stolen token must not even end the access.
    if (access && !mayRefresh(client, access, thumbprint)) {
      recordOAuthAction(inCall, 'oauth.token.dpop_mismatch', access.id, 400)
      return { grant, isOfOtherKey: true }
    }
    const successor = isCurrent ? undefined : findSuccessor(grant, parts.secret, call.now)
    if (!isCurrent && successor === undefined) {
      const offer = access && getOfferMark(access)
      if (offer) yield* endPeerAccess(inCall, offer.accessId)
      yield* revokeAccessById(inCall, grant.access)
      recordOAuthAction(inCall, 'oauth.token.reuse_detected', grant.access, 400)
      return { grant }
    }
    if ((grant.expires ?? 0) <= call.now) return undefined
    assertOpenAccount(call)
    if (access) assertSameScope(access, grant.scopes, renewal.scope)
    if (successor !== undefined) return { grant, secret: successor, time: grant.used }
    const { replaced, secret } = deriveNextToken(grant, parts.secret, call.now)
    const rotated = { ...grant, ends: grant.ends ?? getAbsoluteEnd(call) }
    store.oauthGrants.rotate(rotated, secret, getRefreshEnd(call, client, rotated.ends), replaced)
    return { grant: rotated, secret, time: call.now }
  })
  if (!found || !parts) return refuseUnknown(call, renewal, 'refresh_token')
  const { grant, isOfOtherKey, secret, time = call.now } = found
  if (isOfOtherKey)
    failOAuth(
      thumbprint === undefined ? 'invalid_dpop_proof' : 'invalid_grant',
      'The refresh_token can only be used with the key for which it was issued',
      grant.access
    )
  if (secret === undefined)
    failOAuth(
      'invalid_grant',
      'The refresh_token has already been used. The access has been revoked',
      grant.access
    )
  const refreshToken = formatRefreshToken(call.account.username, { family: parts.family, secret })
  return { kind: 'refresh', grant, refreshToken, time }
}

/**
 * Returns the time at which a new refresh token expires if it is not used, in seconds. `end`: the time at which its grant
 * ends.
 */
export function getRefreshEnd({ now, services }: Call, client: Client, end: number): number {
  return Math.min(end, now + (client.refreshSeconds ?? services.config.oauth.refreshSeconds))
}

/** Returns the time at which a grant that is made now ends, however often it is refreshed, in seconds. */
export function getAbsoluteEnd({ now, services }: Call): number {
  return now + services.config.oauth.refreshAbsoluteSeconds
}

/**
 * Returns whether a client may refresh an access: a public client only with the key to which it is bound, a confidential one
 * also without a proof. A bearer token cannot become a bound one.
 */
function mayRefresh(client: Client, access: Access, thumbprint: string | undefined): boolean {
  const isEnough = thumbprint === undefined && isConfidential(client)
  return isEnough || getBoundKey(access) === thumbprint
}

/**
 * Throws for unknown codes and tokens, whether or not the account exists: guesses are counted. Errors: `invalid_grant`,
 * `invalid_request`.
 */
export function refuseUnknown(
  { credentials, services }: Pick<Call, 'services' | 'credentials'>,
  params: CodeProof & RefreshRequest,
  type: GrantType
): never {
  if (type === 'refresh_token') requireRefreshToken(params)
  else requireProof(params)
  services.throttle.unknownToken(credentials.ip)
  const what = type === 'refresh_token' ? type : 'code'
  return failOAuth('invalid_grant', `The ${what} is unknown, expired, or belongs to another client`)
}

/**
 * Throws `forbidden` for an account that is scheduled for deletion: the client's tokens stay valid in case it is kept.
 */
function assertOpenAccount({ account }: Call): void {
  if (account.deletion !== null) throw createClosingError(account.deletion)
}

/** Returns the code with its verifier. Throws `invalid_request` if either is missing. */
function requireProof({ code, code_verifier }: CodeProof): { code: string; code_verifier: string } {
  if (code === undefined) failOAuth('invalid_request', 'The code is missing')
  if (code_verifier === undefined) failOAuth('invalid_request', 'The code_verifier is missing (PKCE)')
  return { code, code_verifier }
}

/** Returns the refresh token. Throws `invalid_request` if it is missing. */
function requireRefreshToken({ refresh_token: token }: RefreshRequest): string {
  return token ?? failOAuth('invalid_request', 'The refresh_token is missing')
}

/** Revokes an access, its tokens and grants. Must run within a transaction. Does nothing if it has ended. */
function* revokeAccessById(call: Call, id: string): Steps<void> {
  const access = call.store.accesses.find(id)
  if (access) yield* revokeInSteps(call, access)
}

/**
 * Revokes an access that was granted for this code alone, so that a failed exchange leaves none behind. An older access without
 * a grant may be in use: imports of accounts restore accesses only. Must run within a transaction.
 */
function* revokeUnused(call: Call, id: string): Steps<void> {
  const access = call.store.accesses.find(id)
  const isUsed = access && (isIssued(call, access) || call.store.oauthGrants.list(id).length > 0)
  const isNew = access && call.now - access.created <= requestLifetime + codeLifetime
  if (access && isNew && !isUsed) yield* revokeInSteps(call, access)
}

/** Form of a verifier: 43 to 128 unreserved characters. (RFC 7636, 4.1) */
const verifierPattern = /^[A-Za-z0-9._~-]{43,128}$/

/** Returns whether a verifier has the right form, and the challenge as its digest. */
function matchesChallenge(verifier: string, challenge: string): boolean {
  if (!verifierPattern.test(verifier)) return false
  const made = createHash('sha256').update(verifier).digest('base64url')
  return timingSafeEqual(Buffer.from(made), Buffer.from(challenge))
}

/**
 * Requires that a refresh asks for no other scope: the access is the token, so it cannot be narrowed for one refresh. Scopes on
 * resources stand for the streams that the user chose: clients repeat what they asked for, without these. Throws `invalid_scope`.
 * (docs/api/oauth.md#refreshing)
 */
function assertSameScope(access: Access, scopes: readonly IdentityScope[], scope: string | undefined): void {
  const { id, permissions = [] } = access
  if (scope === undefined) return
  if (getOfferMark(access) && scope.trim() === formatAccessScope(access, [])) return
  const asked = parseAskedScope(scope)
  const bare = asked.permissions.map(each =>
    'streamId' in each ? { streamId: each.streamId, level: each.level } : each
  )
  const named = new Set(bare.map(each => formatScope([each], [])))
  const granted = scopes.some(isResourceScope)
    ? permissions.filter(each => named.has(formatScope([each], [])))
    : permissions
  if (sortScope(formatScope(bare, asked.identity)) !== sortScope(formatScope(granted, scopes)))
    failOAuth(
      'invalid_scope',
      'The scope cannot be changed by refreshing. Leave it out, or ask the user again',
      id
    )
}

/** Sorts the scopes in a text, so that texts can be compared. */
function sortScope(text: string): string {
  return text.split(' ').toSorted().join(' ')
}
