/**
 * Verifies passwords (throttled, and as slow for users who do not exist), replaces them, and refuses them where they are
 * switched off. (docs/spec/limits.md#guessing)
 */
import { fail } from '../errors.js'
import type { Credentials } from '../call/credentials.js'
import type { Services } from '../call/services.js'
import type { PasswordRecord } from '../../storage/repositories/account.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { resetMessageCount } from '../account/email/message-count.js'
import type { Changes } from '../changes.js'
import type { AccessRule } from '../call/method.js'
import type { Config } from '../settings/config.js'

/** A password to verify. */
interface PasswordAttempt {
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

/**
 * Stores the password, ends all sessions, and makes links and sign-ins that wait for a second factor invalid.
 * Tokens of app and shared accesses stay valid. Must run within a transaction. Does not notify the user.
 */
export function replacePassword(store: UserStore, password: PasswordRecord, changes: Changes): void {
  store.account.insertPassword(password)
  store.signIn.removeAll('reset')
  store.signIn.removeAll('mfa')
  resetMessageCount(store, 'reset')
  for (const { id } of store.accesses.listPersonal())
    if (store.sessions.end(id)) changes.add('sessions', [], id)
  changes.add('account')
}

/** Throws `unavailable-method` where passwords are switched off. */
export function assertPasswordsEnabled({ auth }: Pick<Config, 'auth'>): void {
  if (auth.passwords === 'off')
    fail('unavailable-method', 'Passwords are turned off (auth.passwords). Sign in with one of the providers')
}

/** Returns the `allow` rules of a method that takes a password: calls are refused if passwords are switched off. */
export function requirePasswordsEnabled(allow: AccessRule): AccessRule {
  return {
    ...allow,
    check(asking) {
      assertPasswordsEnabled(asking.services.config)
      allow.check?.(asking)
    }
  }
}
