/** MFA sessions: between the password and the second factor, or between requesting a factor and verifying it. */
import { randomUUID } from 'node:crypto'
import type { Access } from '../../../schemas/access.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import { getPresentedToken } from '../../auth/authenticate.js'
import type { Config } from '../../settings/config.js'
import { fail } from '../../errors.js'
import type { Call } from '../../call/method.js'
import { isSessionOpen } from '../../auth/personal-access.js'
import { getFactor } from './factor.js'
import type { Candidate } from '../../outgoing/messaging.js'
import { digestToken } from '../../auth/token-digest.js'

/** What a session is for. */
export type MfaSession =
  | { readonly purpose: 'activate'; readonly candidate: Candidate; readonly by: SignInProof }
  | {
      readonly purpose: 'login'
      readonly appId: string
      /** The provider by which the user signed in, if the first factor was an identity. */
      readonly provider?: string
    }

/** The sign-in in which a factor was requested: the MFA session ends with it. */
interface SignInProof {
  readonly accessId: string
  readonly digest: string
}

/** Returns the sign-in of a caller who requests a factor. */
export function toSignInProof(access: Access): SignInProof {
  return { accessId: access.id, digest: digestToken(access) }
}

/** Maximum number of sessions of an account; the oldest are removed. */
const maxSessions = 20

/**
 * Opens a session; returns its token. Must run within a transaction. The oldest end if there are too many.
 */
export function openMfaSession(
  { services }: Config,
  store: UserStore,
  session: MfaSession,
  now: number
): string {
  const token = randomUUID()
  store.signIn.keepLatest('mfa', maxSessions - 1)
  store.signIn.insert('mfa', token, now, now + services.mfa.sessions.ttlSeconds, session)
  return token
}

/**
 * Returns the session token of a call. Throws `invalid-access-token` if there is none. That is counted as a
 * guess.
 */
export function requireMfaToken({ services, credentials }: Call): string {
  const token = getPresentedToken(credentials)
  if (token !== undefined) return token
  services.throttle.unknownToken(credentials.ip)
  return fail('invalid-access-token', 'The MFA session token is missing')
}

/**
 * Returns the session of a call, with this purpose or, without `purpose`, with any. Throws `forbidden` if it
 * is unknown or has ended, or the sign-in of a session to activate a factor has; `invalid-access-token`
 * without a token. Guesses are counted.
 */
export function requireMfaSession<P extends MfaSession['purpose'] = MfaSession['purpose']>(
  call: Call,
  purpose?: P
): Extract<MfaSession, { purpose: P }> {
  const { services, credentials, now, store } = call
  const session = store.signIn.find('mfa', requireMfaToken(call), now) as MfaSession | undefined
  const isOpen = session && (session.purpose !== 'activate' || isSignInOpen(call, session.by))
  if (isOpen && (purpose === undefined || session.purpose === purpose))
    return session as Extract<MfaSession, { purpose: P }>
  services.throttle.unknownToken(credentials.ip)
  return fail('forbidden', 'The MFA session token is invalid or expired')
}

/**
 * Returns whether the sign-in session is still open with the same token: the session may have been ended and opened
 * again.
 */
function isSignInOpen({ services, now, store }: Call, { accessId, digest }: SignInProof): boolean {
  const access = store.accesses.find(accessId)
  return (
    access?.type === 'personal' &&
    digestToken(access) === digest &&
    isSessionOpen(services.config, store, access.id, now)
  )
}

/**
 * Returns what a session's user has to prove: the factor in force, or the factor being activated. Throws
 * `forbidden` if there is none.
 */
export function getCandidate({ store }: Call, session: MfaSession): Candidate {
  if (session.purpose === 'activate') return session.candidate
  // Removing a factor ends its sessions, but an operator's tool may have removed only the factor.
  return getFactor(store) ?? fail('forbidden', 'Two-factor authentication is no longer on. Sign in again')
}
