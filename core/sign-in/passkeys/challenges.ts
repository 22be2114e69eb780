/**
 * Challenges, which passkeys sign: each is valid once, for one purpose and for a few minutes.
 * (docs/spec/passkeys.md#challenges) A challenge contains its end and a keyed hash. So nothing has to be stored for
 * challenges that anonymous callers request, however many, and any thread can verify the challenges of the others. Only
 * used challenges are stored until they end, in the file of the account whose passkey has signed them.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { UserStore } from '../../../storage/user/user-store.js'
import { getSecret } from '../../auth/secrets.js'
import { fail } from '../../errors.js'
import type { Services } from '../../call/services.js'
import { getRelyingParty, type RelyingParty } from '../../settings/relying-party.js'

/** What a challenge is for. */
export interface Purpose {
  readonly act: 'sign-in' | 'prove' | 'add'
  /** The account and the session that requested it; empty for signing in, when neither is known. */
  readonly context: readonly string[]
}

/** Signing in: any client may request its challenges. */
export const signInPurpose: Purpose = { act: 'sign-in', context: [] }

/** Seconds. */
export const challengeLifetime = 300

const nonceBytes = 16
const endBytes = 4

/**
 * Returns a challenge in base64url. Valid for five minutes. Nothing is stored. Throws `unavailable-method` if
 * passkeys are not available.
 */
export function createChallenge(services: Services, purpose: Purpose, now: number): string {
  const end = Buffer.alloc(endBytes)
  end.writeUInt32BE(Math.floor(now) + challengeLifetime)
  const front = Buffer.concat([randomBytes(nonceBytes), end])
  return Buffer.concat([front, computeMac(services, purpose, front)]).toString('base64url')
}

/**
 * Returns whether a challenge was created here for the purpose, and has not ended. Compares in constant time.
 * Its text has to be the original text: used challenges are stored by their text, and decoding would accept
 * other texts for the same bytes. Does not check whether it was used. Throws `unavailable-method` if passkeys
 * are not available.
 */
export function isValidChallenge(
  services: Services,
  purpose: Purpose,
  challenge: string,
  now: number
): boolean {
  const given = Buffer.from(challenge, 'base64url')
  if (given.toString('base64url') !== challenge) return false
  const front = given.subarray(0, nonceBytes + endBytes)
  const rest = given.subarray(front.length)
  if (front.length < nonceBytes + endBytes || front.readUInt32BE(nonceBytes) <= now) return false
  const expected = computeMac(services, purpose, front)
  return expected.length === rest.length && timingSafeEqual(expected, rest)
}

/** Returns whether a challenge has been used. */
export function isUsedChallenge(store: UserStore, challenge: string, now: number): boolean {
  return store.signIn.find('challenge', challenge, now) !== undefined
}

/** Marks a challenge as used; returns `false` if it was used before. Must run within a transaction. */
export function useChallenge(store: UserStore, challenge: string, now: number): boolean {
  if (isUsedChallenge(store, challenge, now)) return false
  store.signIn.insert('challenge', challenge, now, now + challengeLifetime, {})
  return true
}

/** Returns the domain and origin of passkeys. Throws `unavailable-method` if passkeys are not available. */
export function requireRelyingParty({ config }: Pick<Services, 'config'>): RelyingParty {
  return (
    getRelyingParty(config) ??
    fail('unavailable-method', 'Passkeys are not available on this service (auth.passkeys, publicUrl)')
  )
}

function computeMac(services: Services, { act, context }: Purpose, front: Buffer): Buffer {
  const { id, origin } = requireRelyingParty(services)
  const subject = JSON.stringify([act, context, id, origin, front.toString('hex')])
  return createHmac('sha256', getSecret(services, 'passkeyChallenge')).update(subject).digest()
}
