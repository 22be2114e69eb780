/**
 * The second factor of an account: how it is verified, and the recovery codes that remove it. Stored under a key of the
 * private profile set that profile methods neither show nor write. (docs/spec/mfa.md#storage)
 */
import { createHash, randomInt } from 'node:crypto'
import type { UserStore } from '../../../storage/user/user-store.js'
import type { Candidate } from '../../outgoing/messaging.js'

/** A second factor in force. */
export interface Factor extends Candidate {
  /** Digests of the unused recovery codes, each of which removes the factor. */
  readonly recoveryCodes: readonly string[]
  /** For TOTP, the latest time step whose code was used: no code is valid twice. */
  readonly lastStep?: number
}

const recoveryCodeCount = 10

/** Returns the factor in force; `undefined` if there is none. */
export function getFactor(store: UserStore): Factor | undefined {
  const profile = store.profile.find('private')
  return Object.hasOwn(profile, 'mfa') ? (profile['mfa'] as Factor) : undefined
}

/** Stores a factor, which is in force from then on, in place of another. Must run within a transaction. */
export function setFactor(store: UserStore, factor: Factor): void {
  store.profile.update('private', { mfa: factor })
}

/**
 * Removes the factor with its sessions, code and counts: from then on signing in takes only a password. Must run within
 * a transaction.
 */
export function removeFactor(store: UserStore): void {
  if (getFactor(store)) store.profile.update('private', { mfa: null })
  store.signIn.removeAll('mfa')
  for (const name of ['mfa-code', 'mfa-failures'] as const) store.signIn.removeState(name)
}

/** Characters of recovery codes, without characters that are easily confused. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
/** Groups of four: 79 bits. */
const groupCount = 4

/** Returns new recovery codes, such as `abcd-efgh-jkmn-2345`, which are shown once and stored as digests. */
export function createRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodeCount }, () =>
    Array.from({ length: groupCount }, createGroup).join('-')
  )
}

function createGroup(): string {
  return Array.from({ length: 4 }, () => alphabet[randomInt(alphabet.length)]).join('')
}

/**
 * Returns whether text is one of a factor's unused recovery codes. Capital letters, spaces and hyphens do not matter;
 * older codes have the form of a UUID.
 */
export function isRecoveryCode({ recoveryCodes }: Factor, text: string): boolean {
  const bare = text.toLowerCase().replaceAll(/[\s-]/g, '')
  const forms = [text, bare.replaceAll(/(.{4})(?=.)/g, '$1-'), bare.replace(uuidDigits, '$1-$2-$3-$4-$5')]
  return forms.some(form => recoveryCodes.includes(digestCode(form)))
}

const uuidDigits = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/

/** Returns the digest of a code. Recovery codes are too random to be recovered from it. */
export function digestCode(code: string): string {
  return createHash('sha256').update(code).digest('base64url')
}
