/** The ways in which somebody can sign in to an account: none is to lock itself out. (docs/spec/passkeys.md#the-last-way-in) */
import type { UserStore } from '../../storage/user/user-store.js'
import { fail } from '../errors.js'
import type { Config } from '../settings/config.js'
import { getRelyingParty } from '../settings/relying-party.js'

/** How many ways there are of each kind. */
export interface SignInMethods {
  /** 1 if there is a password, and passwords open anything here. */
  readonly password: number
  /** Identities of providers that are configured. */
  readonly identities: number
  /** Passkeys, where there are any on this service. */
  readonly passkeys: number
}

/** Returns the ways into an account as it is stored. */
export function countSignInMethods(config: Config, store: UserStore): SignInMethods {
  const { auth } = config
  const issuers = new Set(auth.oidc.map(({ issuer }) => trimSlash(issuer)))
  return {
    password: auth.passwords === 'on' && store.account.password() ? 1 : 0,
    identities: store.identities.list().filter(({ issuer }) => issuers.has(trimSlash(issuer))).length,
    passkeys: getRelyingParty(config) ? store.passkeys.size : 0
  }
}

/** Returns the number of ways into an account. */
export function countAllSignInMethods(config: Config, store: UserStore): number {
  return Object.values(countSignInMethods(config, store)).reduce(
    (sum: number, count: number) => sum + count,
    0
  )
}

/** Throws `invalid-operation` if nothing remains after one way has been removed. Must run within the write that removes it. */
export function assertSignInPossible(config: Config, store: UserStore): void {
  if (countAllSignInMethods(config, store) === 0)
    fail('invalid-operation', 'This is the only way to sign in. Add another one first', {
      code: 'last-way-in'
    })
}

/** Issuers are compared without the slash at their end, which people add and leave out. */
export function trimSlash(issuer: string): string {
  return issuer.replace(/\/$/, '')
}
