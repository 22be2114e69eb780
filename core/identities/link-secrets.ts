/**
 * Secrets with which a session links an identity, so that an attacker cannot link their own identity to the account.
 * (docs/spec/identities.md#linking)
 */
import type { Access } from '../../schemas/access.js'
import { digestToken } from '../auth/token-digest.js'
import type { Call } from '../call/method.js'
import { fail } from '../errors.js'
import { createToken } from '../ids.js'

/** The session that created the secret; the session may have ended and been opened again since. */
interface LinkSession {
  readonly accessId: string
  readonly digest: string
}

/** Seconds: the sign-in at the provider, and the time until its proof is used. */
const secretLifetime = 1500
/** Maximum per account; the oldest become invalid. */
const maxSecrets = 10

/**
 * Creates a secret for linking an identity, valid for 25 minutes, and returns it. The oldest beyond the
 * maximum become invalid. Must run within a transaction.
 */
export function createLinkSecret({ caller, now, store }: Call): string {
  const secret = createToken() + createToken()
  store.signIn.keepLatest('identity', maxSecrets - 1)
  store.signIn.insert('identity', secret, now, now + secretLifetime, toLinkSession(caller.access))
  return secret
}

/** Uses a secret. Throws `forbidden` unless it was made in this session. Must run within a transaction. */
export function useLinkSecret(call: Call, secret: string): void {
  assertLinkSecret(call, secret)
  call.store.signIn.remove(secret)
}

/** Throws `forbidden` unless a secret was made in this session, and has not been used. */
export function assertLinkSecret({ caller, now, store }: Call, secret: string): void {
  const session = store.signIn.find('identity', secret, now) as LinkSession | undefined
  const current = toLinkSession(caller.access)
  if (session?.accessId !== current?.accessId || session?.digest !== current?.digest || !session)
    fail('forbidden', 'This identity was not requested in this session. Start again')
}

function toLinkSession(access: Access | undefined): LinkSession | undefined {
  return access && { accessId: access.id, digest: digestToken(access) }
}
