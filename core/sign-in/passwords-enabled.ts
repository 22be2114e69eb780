/** Refuses methods that take a password if passwords are switched off. (docs/spec/identities.md#without-passwords) */
import type { AccessRule } from '../call/method.js'
import { fail } from '../errors.js'
import type { Config } from '../settings/config.js'

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
