/** From credentials to caller: token, caller id, expiry, session, the operator's own step. (service.md, Authentication 1–4) */
import type { Account } from '../../storage/platform/platform-store.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Access } from '../../schemas/access.js'
import { accessIdOf, isReadToken } from '../events/attachments.js'
import { Caller } from '../permissions/caller.js'
import type { Core, Credentials, ReadTokenUse } from '../call/method.js'
import { ApiError, fail } from '../errors.js'
import { isSessionOpen } from './personal-access.js'
import { presentedBy } from './presented.js'
import { isInForce } from '../permissions/standing.js'

/**
 * The caller of these credentials; a read token that comes with a token has to be good too. Errors: `invalid-access-token`
 * for a missing, unknown, ended or expired one, and `too-many-requests` after many missing or unknown ones; those of
 * {@link presentedBy}. `isUse`: whether a call is made with them; otherwise an answer is still on its way, which prolongs no
 * session.
 */
export function authenticate(
  core: Core,
  account: Account,
  store: UserStore,
  credentials: Credentials,
  now: number,
  isUse = true
): Caller {
  const { ip, readToken } = credentials
  const presented = presentedBy(credentials)
  if (!presented && !readToken) {
    if (isUse) core.throttle.stray(ip)
    fail('invalid-access-token', 'The access token is missing.')
  }
  const reader = readToken && accessOfReadToken(core, account, store, readToken)
  const access = presented ? store.accesses.findByToken(presented.token) : reader
  if (!access || (readToken && !reader)) {
    if (isUse) core.throttle.stray(ip)
    fail('invalid-access-token')
  }
  if (reader && reader !== access) mustBeLive(core, store, reader, now, isUse)
  mustBeLive(core, store, access, now, isUse)
  return new Caller(store, access, presented?.callerId)
}

/** Raises `invalid-access-token` for an access that has expired, or whose session has ended; `isUse` prolongs a session. */
function mustBeLive({ config }: Core, store: UserStore, access: Access, now: number, isUse: boolean): void {
  if (access.expires !== undefined && access.expires <= now)
    throw new ApiError('invalid-access-token', 'The access has expired.', { accessId: access.id })
  if (access.type === 'shared' && !isInForce(store, access, now))
    throw new ApiError('invalid-access-token', 'The access that shared this one has ended', {
      accessId: access.id
    })
  if (access.type === 'personal') {
    if (!isSessionOpen(config, store, access.id, now))
      throw new ApiError('invalid-access-token', 'The session has ended. Please sign in again.', {
        accessId: access.id
      })
    if (isUse) store.sessions.touch(access.id, now)
  }
}

/** The access that a read token stands for. */
function accessOfReadToken(
  core: Core,
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

/** The operator's own authorisation step: it gets to see everything about the call but its content. */
export interface AuthorizationContext {
  readonly username: string
  readonly user: { readonly id: string; readonly username: string }
  readonly accessToken: string
  readonly callerId: string | undefined
  readonly access: object
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** Denies by throwing, by a rejected promise, or by handing an error to `done`. */
export type AuthorizationStep = (context: AuthorizationContext, done: (error?: unknown) => void) => unknown

/** Runs the operator's step; whatever goes wrong in it denies the call. */
export async function authorize(
  step: AuthorizationStep,
  account: Account,
  caller: Caller,
  credentials: Credentials
): Promise<void> {
  const access = caller.access ?? fail('invalid-access-token')
  const context: AuthorizationContext = {
    username: account.username,
    user: { id: account.id, username: account.username },
    accessToken: access.token,
    callerId: caller.callerId,
    access: structuredClone(access),
    headers: credentials.headers ?? {}
  }
  try {
    await new Promise<void>((resolve, reject) => {
      const done = (error?: unknown): void => (error ? reject(error) : resolve())
      const answer = step(context, done)
      // A step that takes no callback is over when it returns, or when its promise is.
      if (answer instanceof Promise) answer.then(() => resolve(), reject)
      else if (step.length < 2) resolve()
    })
  } catch (cause) {
    throw new ApiError('invalid-access-token', 'The authorization step denied this call.', {
      cause,
      accessId: access.id
    })
  }
}
