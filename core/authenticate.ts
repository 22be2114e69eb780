/** From credentials to caller: token, caller id, expiry, session, the operator's own step. (service.md, Authentication 1–4) */
import type { Account } from '../storage/platform-store.js'
import type { UserStore } from '../storage/user-store.js'
import type { Access } from '../schemas/access.js'
import { accessIdOf, isReadToken } from './attachments.js'
import { Caller } from './caller.js'
import type { Core, Credentials, ReadTokenUse } from './method.js'
import { ApiError, fail } from './errors.js'
import { isSessionOpen } from './personal-access.js'
import { isInForce } from './standing.js'

/** A token and the caller id that came with it. */
interface Presented {
  readonly token: string
  readonly callerId?: string
}

/**
 * The caller of these credentials; a read token that comes with a token has to be good too. Errors: `invalid-access-token`
 * for a missing, unknown, ended or expired one, and `too-many-requests` after many unknown ones; `forbidden` for Basic with
 * an empty user name. `isUse`: whether a call is made with them; otherwise an answer is still on its way, which prolongs no
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
  if (!presented && !readToken) fail('invalid-access-token', 'The access token is missing.')
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

/** The token that credentials hold, in whatever form. Error: `forbidden` for Basic with an empty user name. */
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

function presentedBy({ authorization, auth }: Credentials): Presented | undefined {
  const header = authorization?.trim()
  if (header) {
    const basic = /^basic(?:\s+(.*))?$/i.exec(header)
    if (basic) return fromBasic(basic[1] ?? '')
    return withCallerId(header.replace(/^bearer\s+/i, ''))
  }
  return auth ? withCallerId(auth) : undefined
}

/** The user name of Basic credentials is the token; the password does not matter. */
function fromBasic(encoded: string): Presented | undefined {
  const decoded = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = decoded.indexOf(':')
  const name = colon < 0 ? decoded : decoded.slice(0, colon)
  if (name !== '') return withCallerId(name)
  if (colon >= 0 && colon < decoded.length - 1)
    fail('forbidden', 'The token belongs in the user name of Basic credentials.')
  return undefined
}

/** `token`, or `token callerId`. */
function withCallerId(value: string): Presented {
  const blank = value.indexOf(' ')
  if (blank < 0) return { token: value }
  return { token: value.slice(0, blank), callerId: value.slice(blank + 1).trim() }
}
