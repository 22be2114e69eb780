/** Authenticates credentials: token, caller id, expiry, session. (docs/spec/authentication.md#where-a-token-may-stand) */
import type { UserStore } from '../../storage/user/user-store.js'
import type { Access } from '../../schemas/access.js'
import { Caller } from '../permissions/caller.js'
import { ApiError, fail } from '../errors.js'
import { refuseUnknownUser } from '../unknown-user.js'
import { isSessionOpen } from './personal-access.js'
import { getBoundKey, isClientRevoked } from './oauth-marks.js'
import { parsePresented, type PresentedToken } from './presented-token.js'
import { isInForce } from '../permissions/effective-grants.js'
import { isRefreshable } from '../permissions/offer-session.js'
import type { Credentials, ReadTokenUse } from '../call/credentials.js'
import { getAccessId, isValidReadToken } from './read-token.js'
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'

/** Credentials to authenticate, and the account for which they have to be valid. */
interface Authentication {
  readonly services: Services
  readonly account: Account
  readonly store: UserStore
  readonly credentials: Credentials
  /** Seconds. */
  readonly now: number
  /** False while a response is still being sent, which does not prolong the session; true by default. */
  readonly isUse?: boolean
  /** Whether an access that has expired is accepted while its client can refresh it; false by default. */
  readonly mayBeRefreshed?: boolean
}

/**
 * Returns the caller of these credentials. A read token sent along with a token has to be valid too. Errors:
 * `unknown-resource` for an alias without the token of its access, `invalid-access-token` for a missing,
 * unknown, ended or expired token, one of an app that an operator has revoked, or one without the proof of its
 * key, `too-many-requests` after many missing or unknown tokens, and the errors of {@link parsePresented}.
 * Prolongs the session of a personal access, unless `isUse` is false.
 */
export function authenticate({
  services,
  account,
  store,
  credentials,
  now,
  isUse = true,
  mayBeRefreshed = false
}: Authentication): Caller {
  if (account.alias !== undefined)
    assertHolder({ services, account, store, credentials, now, isUse }, account.alias)
  const { ip, readToken } = credentials
  const presented = parsePresented(credentials)
  if (!presented && !readToken) {
    if (isUse) services.throttle.unknownToken(ip)
    fail('invalid-access-token', 'The access token is missing')
  }
  const reader = readToken && findReadTokenAccess(services, account, store, readToken)
  const access = presented ? store.accesses.findByToken(presented.token) : reader
  // By the user name, a token of an access with an alias is unknown: otherwise, it would confirm whose access it is.
  if (!access || access.alias !== account.alias || (readToken && !reader)) {
    if (isUse) services.throttle.unknownToken(ip)
    throw new ApiError('invalid-access-token', undefined, presented?.isDPoP ? { needsProof: true } : {})
  }
  if (presented) assertProven(credentials, presented, access)
  if (reader && reader !== access) admitAccess(reader)
  admitAccess(access)
  return new Caller(store, access, presented?.callerId)

  /** Throws `invalid-access-token` unless the access is active and its client is not revoked. Records a use of a session. */
  function admitAccess(each: Access): void {
    if (!mayBeRefreshed || !isRefreshable(store, each, now)) assertAccessActive(services, store, each, now)
    if (isClientRevoked(services, store, each))
      throw new ApiError('invalid-access-token', 'The operator has revoked the app', { accessId: each.id })
    if (isUse && each.type === 'personal') store.sessions.touch(each.id, now)
  }
}

/**
 * Throws `invalid-access-token` for an access that is bound to a key, unless the call has proven the key, and for a bearer
 * token that was sent as if it were bound. (docs/api/oauth.md#proof-of-possession)
 */
function assertProven(
  { proofProblem, provenKey }: Credentials,
  { isDPoP }: PresentedToken,
  access: Access
): void {
  const key = getBoundKey(access)
  if (key === undefined ? !isDPoP : isDPoP && key === provenKey) return
  const message =
    key === undefined
      ? 'The token is not bound to a key: send it as a Bearer token'
      : (proofProblem ?? 'The token is bound to a key: send it with the scheme DPoP and a valid proof')
  throw new ApiError('invalid-access-token', message, { accessId: access.id, needsProof: true })
}

/**
 * Throws the error for an unknown user unless the credentials are those of the access with the alias: no one else can
 * tell that the alias exists. (docs/spec/usernames.md#aliases)
 */
function assertHolder({ account, credentials, isUse, services, store }: Authentication, alias: string): void {
  const token = findPresentedToken(credentials)
  const { ip, readToken } = credentials
  const access =
    token === undefined
      ? readToken && findReadTokenAccess(services, account, store, readToken)
      : store.accesses.findByToken(token)
  if (access?.alias === alias) return
  try {
    if (isUse) services.throttle.unknownToken(ip)
  } catch {
    // An address that has to wait gets the same error.
  }
  refuseUnknownUser(services.accounts, alias)
}

/** Returns the token in the credentials; `undefined` if there is none or they are malformed. */
function findPresentedToken(credentials: Credentials): string | undefined {
  try {
    return getPresentedToken(credentials)
  } catch {
    return undefined
  }
}

/** Throws `invalid-access-token` for an access that has expired or whose session has ended. */
function assertAccessActive({ config }: Services, store: UserStore, access: Access, now: number): void {
  if (access.expires !== undefined && access.expires <= now)
    throw new ApiError('invalid-access-token', 'The access has expired', { accessId: access.id })
  if (!isInForce(store, access, now))
    throw new ApiError(
      'invalid-access-token',
      access.type === 'shared'
        ? 'The access that created this shared access is no longer valid'
        : 'The offer that the user had accepted is no longer in force',
      { accessId: access.id }
    )
  if (access.type === 'personal' && !isSessionOpen(config, store, access.id, now))
    throw new ApiError('invalid-access-token', 'The session has ended. Sign in again', {
      accessId: access.id
    })
}

/** Returns the access that a read token belongs to; `undefined` if the token is invalid. */
function findReadTokenAccess(
  services: Services,
  account: Account,
  store: UserStore,
  { eventId, fileId, token }: ReadTokenUse
): Access | undefined {
  const access = store.accesses.find(getAccessId(token))
  return access && isValidReadToken({ services, account, access, eventId, fileId }, token)
    ? access
    : undefined
}

/** Returns whether credentials hold a token at all. Errors as for {@link parsePresented}. */
export function hasPresentedToken(credentials: Credentials): boolean {
  return parsePresented(credentials) !== undefined
}

/** Returns the caller id that came with a token, if any. Errors as for {@link parsePresented}. */
export function getCallerId(credentials: Credentials): string | undefined {
  return parsePresented(credentials)?.callerId
}

/** Returns the token in the credentials, in any form; errors as for {@link parsePresented}. */
export function getPresentedToken(credentials: Credentials): string | undefined {
  return parsePresented(credentials)?.token
}

/**
 * Returns the open account of this name. Throws `unknown-resource`, `user-account-relocated`, and `forbidden` for an
 * account that is suspended or closed. Only callers with a valid token learn that it is closed: others get
 * `invalid-access-token`, as if the account were open.
 */
export function requireOpenAccount(services: Services, username: string, credentials: Credentials): Account {
  const { accounts, clock } = services
  const account = accounts.find(username)
  if (account) return account
  const closing = accounts.findClosing(username)
  if (closing) {
    const store = accounts.openStore(closing)
    store.read(() => authenticate({ services, account: closing, store, credentials, now: clock.now() }))
  }
  return refuseUnknownUser(accounts, username)
}
