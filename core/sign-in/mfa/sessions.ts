/** MFA sessions: the time between a password and its second factor, or between asking for a factor and having proved it. */
import { randomUUID } from 'node:crypto'
import type { Access } from '../../../schemas/access.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import { presentedToken } from '../../auth/authenticate.js'
import type { Config } from '../../settings/config.js'
import { fail } from '../../errors.js'
import type { Call } from '../../call/method.js'
import { isSessionOpen } from '../../auth/personal-access.js'
import { factorOf } from './factor.js'
import type { Candidate } from '../../outgoing/messaging.js'
import { tokenDigest } from '../../auth/token-digest.js'

/** What a session is for. */
export type MfaSession =
  | { readonly purpose: 'activate'; readonly candidate: Candidate; readonly by: SignInProof }
  | { readonly purpose: 'login'; readonly appId: string }

/** The sign-in in which a factor was asked for: what began in a session ends with it. */
interface SignInProof {
  readonly accessId: string
  readonly digest: string
}

/** The sign-in of a caller who asks for a factor. */
export function signInOf(access: Access): SignInProof {
  return { accessId: access.id, digest: tokenDigest(access) }
}

/** Sessions of an account at a time; older ones make room. */
const atOnce = 20

/** Opens a session; answers its token. Only within a write. */
export function openMfaSession(
  { services }: Config,
  store: UserStore,
  session: MfaSession,
  now: number
): string {
  const token = randomUUID()
  store.signIn.keepLatest('mfa', atOnce - 1)
  store.signIn.insert('mfa', token, now, now + services.mfa.sessions.ttlSeconds, session)
  return token
}

/** The token of the session that a call belongs to; raises `invalid-access-token` where there is none. */
export function mfaTokenOf({ core, credentials }: Call): string {
  const token = presentedToken(credentials)
  if (token !== undefined) return token
  core.throttle.unknownToken(credentials.ip)
  return fail('invalid-access-token', 'The MFA session token is missing')
}

/** The session of a call, of this purpose or of any; raises `forbidden` for one that does not exist, or no longer. */
export function mfaSessionOf<P extends MfaSession['purpose'] = MfaSession['purpose']>(
  call: Call,
  purpose?: P
): Extract<MfaSession, { purpose: P }> {
  const { core, credentials, now, store } = call
  const session = store.signIn.find('mfa', mfaTokenOf(call), now) as MfaSession | undefined
  const isOpen = session && (session.purpose !== 'activate' || isSignedIn(call, session.by))
  if (isOpen && (purpose === undefined || session.purpose === purpose))
    return session as Extract<MfaSession, { purpose: P }>
  core.throttle.unknownToken(credentials.ip)
  return fail('forbidden', 'The MFA session token is invalid, or has expired')
}

/** Whether the session of a sign-in is open still, by the same token: one that was ended may have been opened again. */
function isSignedIn({ core, now, store }: Call, { accessId, digest }: SignInProof): boolean {
  const access = store.accesses.find(accessId)
  return (
    access?.type === 'personal' &&
    tokenDigest(access) === digest &&
    isSessionOpen(core.config, store, access.id, now)
  )
}

/** What a session's user has to prove: the factor in force, or the one that is to be. */
export function candidateOf({ store }: Call, session: MfaSession): Candidate {
  if (session.purpose === 'activate') return session.candidate
  // Removing a factor ends its sessions; an operator's tool may remove nothing but the factor.
  return factorOf(store) ?? fail('forbidden', 'There is no second factor any more. Please sign in again')
}
