/** From credentials to caller: token, caller id, expiry, session, the operator's own step. (docs/spec/authentication.md#where-a-token-may-stand) */
import type { UserStore } from '../../storage/user/user-store.js'
import type { Access } from '../../schemas/access.js'
import { Caller } from '../permissions/caller.js'
import { ApiError, fail } from '../errors.js'
import { isSessionOpen } from './personal-access.js'
import { presentedBy } from './presented.js'
import { isInForce } from '../permissions/standing.js'
import type { Credentials, ReadTokenUse } from '../call/credentials.js'
import { accessIdOf, isReadToken } from './read-token.js'
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'

/**
 * The caller of these credentials; a read token that comes with a token has to be good too. Errors: `invalid-access-token`
 * for a missing, unknown, ended or expired one, and `too-many-requests` after many missing or unknown ones; those of
 * {@link presentedBy}. `isUse`: whether a call is made with them; otherwise an answer is still on its way, which prolongs no
 * session.
 */
export function authenticate(
  core: Services,
  account: Account,
  store: UserStore,
  credentials: Credentials,
  now: number,
  isUse = true
): Caller {
  const { ip, readToken } = credentials
  const presented = presentedBy(credentials)
  if (!presented && !readToken) {
    if (isUse) core.throttle.unknownToken(ip)
    fail('invalid-access-token', 'The access token is missing')
  }
  const reader = readToken && accessOfReadToken(core, account, store, readToken)
  const access = presented ? store.accesses.findByToken(presented.token) : reader
  if (!access || (readToken && !reader)) {
    if (isUse) core.throttle.unknownToken(ip)
    fail('invalid-access-token')
  }
  if (reader && reader !== access) mustBeLive(core, store, reader, now, isUse)
  mustBeLive(core, store, access, now, isUse)
  return new Caller(store, access, presented?.callerId)
}

/** Raises `invalid-access-token` for an access that has expired, or whose session has ended; `isUse` prolongs a session. */
function mustBeLive(
  { config }: Services,
  store: UserStore,
  access: Access,
  now: number,
  isUse: boolean
): void {
  if (access.expires !== undefined && access.expires <= now)
    throw new ApiError('invalid-access-token', 'The access has expired', { accessId: access.id })
  if (access.type === 'shared' && !isInForce(store, access, now))
    throw new ApiError('invalid-access-token', 'The access that shared this one has ended', {
      accessId: access.id
    })
  if (access.type === 'personal') {
    if (!isSessionOpen(config, store, access.id, now))
      throw new ApiError('invalid-access-token', 'The session has ended. Please sign in again', {
        accessId: access.id
      })
    if (isUse) store.sessions.touch(access.id, now)
  }
}

/** The access that a read token stands for. */
function accessOfReadToken(
  core: Services,
  account: Account,
  store: UserStore,
  { eventId, fileId, token }: ReadTokenUse
): Access | undefined {
  const access = store.accesses.find(accessIdOf(token))
  return access && isReadToken(core, account, eventId, fileId, access, token) ? access : undefined
}

/** Whether credentials hold a token at all. */
export function hasToken(credentials: Credentials): boolean {
  return presentedBy(credentials) !== undefined
}

/** The caller id that came with a token. */
export function callerIdOf(credentials: Credentials): string | undefined {
  return presentedBy(credentials)?.callerId
}

/** The token that credentials hold, in whatever form; errors as of {@link presentedBy}. */
export function presentedToken(credentials: Credentials): string | undefined {
  return presentedBy(credentials)?.token
}
