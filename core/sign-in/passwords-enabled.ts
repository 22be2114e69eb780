/** Refuses methods that take a password where nobody signs in with one. (docs/spec/identities.md#without-passwords) */
import type { Allow } from '../call/method.js'
import { fail } from '../errors.js'
import type { Config } from '../settings/config.js'

/** Throws `unavailable-method` where passwords are switched off. */
export function assertPasswordsEnabled({ auth }: Pick<Config, 'auth'>): void {
  if (auth.passwords === 'off')
    fail('unavailable-method', 'Passwords are turned off. Sign in with one of the providers')
}

/** As `allow`, for methods that take a password. */
export function requirePasswordsEnabled(allow: Allow): Allow {
  return {
    ...allow,
    check(asking) {
      assertPasswordsEnabled(asking.services.config)
      allow.check?.(asking)
    }
  }
}
