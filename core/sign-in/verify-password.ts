/** Verifies passwords: throttled, and as slow for users who do not exist. (docs/spec/limits.md#guessing) */
import { fail } from '../errors.js'
import type { Credentials } from '../call/credentials.js'
import type { Services } from '../call/services.js'

/** A password to verify. */
export interface PasswordAttempt {
  readonly username: string
  readonly password: string
  /** The stored hash; `undefined` for a user without a password, or who does not exist. */
  readonly hash: string | undefined
}

/**
 * Returns whether the password has this hash; without a hash always false, after the same work. Failures
 * count against the user name and the address. Throws `too-many-requests` after too many, also for queued
 * attempts once the attempts before them have failed, so that parallel attempts cannot get around the limit;
 * `api-unavailable` if too many are queued.
 */
export async function verifyPassword(
  { passwords, throttle }: Services,
  { ip }: Credentials,
  { username, password, hash }: PasswordAttempt
): Promise<boolean> {
  const guess = { subject: `login:${username}`, ip }
  const hooks = {
    check: () => throttle.check(guess),
    onResult: (isRight: boolean) => (isRight ? throttle.succeeded(guess) : throttle.failed(guess))
  }
  hooks.check()
  return hash === undefined
    ? await passwords.verifyDummy(password, hooks)
    : await passwords.verify(hash, password, hooks)
}

/** Throws `invalid-credentials` unless the password has this hash; see {@link verifyPassword}. */
export async function assertPassword(
  services: Services,
  credentials: Credentials,
  attempt: PasswordAttempt
): Promise<void> {
  if (!(await verifyPassword(services, credentials, attempt))) fail('invalid-credentials')
}
