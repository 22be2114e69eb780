/** Secrets with which a session links an identity: nobody else's can be slipped into it. (docs/spec/identities.md#linking) */
import type { Access } from '../../schemas/access.js'
import { digestToken } from '../auth/token-digest.js'
import type { Call } from '../call/method.js'
import { fail } from '../errors.js'
import { newToken } from '../ids.js'

/** The session that has begun, which may have been ended and opened again. */
interface Begun {
  readonly accessId: string
  readonly digest: string
}

/** Seconds: the sign-in at the provider, and the time until its proof is used. */
const secretLife = 1500
/** Most of an account; the oldest become invalid. */
const maxSecrets = 10

/** Returns a new secret. Must run within a write. */
export function newLinkSecret({ caller, now, store }: Call): string {
  const secret = newToken() + newToken()
  store.signIn.keepLatest('identity', maxSecrets - 1)
  store.signIn.insert('identity', secret, now, now + secretLife, sessionOf(caller.access))
  return secret
}

/** Uses a secret. Throws `forbidden` unless it was made in this session. Must run within a write. */
export function useLinkSecret(call: Call, secret: string): void {
  assertLinkSecret(call, secret)
  call.store.signIn.remove(secret)
}

/** Throws `forbidden` unless a secret was made in this session, and has not been used. */
export function assertLinkSecret({ caller, now, store }: Call, secret: string): void {
  const begun = store.signIn.find('identity', secret, now) as Begun | undefined
  const current = sessionOf(caller.access)
  if (begun?.accessId !== current?.accessId || begun?.digest !== current?.digest || !begun)
    fail('forbidden', 'This identity was not asked for in this session. Please begin again')
}

function sessionOf(access: Access | undefined): Begun | undefined {
  return access && { accessId: access.id, digest: digestToken(access) }
}
