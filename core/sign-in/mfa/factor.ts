/**
 * The second factor of an account: what proves it, and the codes that remove it. Kept under a key of the private profile
 * set that profile methods neither show nor write. (docs/spec/mfa.md#where-it-is-kept)
 */
import { createHash, randomUUID } from 'node:crypto'
import type { UserStore } from '../../../storage/user/user-store.js'
import type { Candidate } from '../../outgoing/messaging.js'

/** A second factor in force. */
export interface Factor extends Candidate {
  /** Digests of the codes that are left: each removes the factor. */
  readonly recoveryCodes: readonly string[]
  /** Of TOTP: the latest time step of which a code was used. No code is good twice. */
  readonly lastStep?: number
}

const codesGiven = 10

/** The factor in force, if there is one. */
export function factorOf(store: UserStore): Factor | undefined {
  const profile = store.profile.find('private')
  return Object.hasOwn(profile, 'mfa') ? (profile['mfa'] as Factor) : undefined
}

/** Puts a factor in force, or replaces what is kept of it. Only within a write. */
export function setFactor(store: UserStore, factor: Factor): void {
  store.profile.update('private', { mfa: factor })
}

/** Removes the factor with all that waits for it: signing in takes a password again, nothing else. Only within a write. */
export function removeFactor(store: UserStore): void {
  if (factorOf(store)) store.profile.update('private', { mfa: null })
  store.signIn.removeAll('mfa')
  for (const name of ['mfa-code', 'mfa-failures'] as const) store.signIn.removeState(name)
}

/** New recovery codes: shown once, kept as digests. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: codesGiven }, () => randomUUID())
}

/** The digest of a code. Recovery codes are random enough that it cannot be turned back. */
export function digestOf(code: string): string {
  return createHash('sha256').update(code).digest('base64url')
}
