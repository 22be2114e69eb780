/** The sign-in methods of an account: users must not lock themselves out. (docs/spec/passkeys.md#the-last-sign-in-method) */
import type { UserStore } from '../../storage/user/user-store.js'
import { fail } from '../errors.js'
import type { Config } from '../settings/config.js'
import { getRelyingParty } from '../settings/relying-party.js'

/** The number of sign-in methods of each kind. */
interface SignInMethods {
  /** 1 if the account has a password and passwords are enabled, otherwise 0. */
  readonly password: number
  /** Identities of providers that are configured. */
  readonly identities: number
  /** Number of passkeys; 0 if the service does not support passkeys. */
  readonly passkeys: number
}

/** Counts the stored sign-in methods of an account that can be used, by kind. */
export function countSignInMethods(config: Config, store: UserStore): SignInMethods {
  const { auth } = config
  const issuers = new Set(auth.oidc.map(({ issuer }) => trimSlash(issuer)))
  return {
    password: auth.passwords === 'on' && store.account.password() ? 1 : 0,
    identities: store.identities.list().filter(({ issuer }) => issuers.has(trimSlash(issuer))).length,
    passkeys: getRelyingParty(config) ? store.passkeys.size : 0
  }
}

/** Returns the number of sign-in methods of an account that can be used. */
export function countAllSignInMethods(config: Config, store: UserStore): number {
  return Object.values(countSignInMethods(config, store)).reduce(
    (sum: number, count: number) => sum + count,
    0
  )
}

/** Throws `invalid-operation` if no sign-in method remains. Must run within the write that removes a method. */
export function assertSignInPossible(config: Config, store: UserStore): void {
  if (countAllSignInMethods(config, store) === 0)
    fail('invalid-operation', 'This is the only way to sign in. Add another one first', {
      code: 'last-way-in'
    })
}

/** Removes the slash at the end of an issuer, which is optional. */
export function trimSlash(issuer: string): string {
  return issuer.replace(/\/$/, '')
}
