/** Verifies user name and password, for the methods that take both. (docs/spec/authentication.md#signing-in) */
import { Type } from 'typebox'
import { AppId } from '../../schemas/account.js'
import { fail } from '../errors.js'
import type { Call, ServiceCall } from '../call/method.js'
import { assertPasswordNotExpired, getPasswordTimes } from './password-rules.js'
import { assertPassword } from './passwords.js'

/** Params of the methods that take a password instead of a token. */
export const LoginParams = {
  username: Type.String({ minLength: 1, maxLength: 100 }),
  password: Type.String({ minLength: 1, maxLength: 1000 }),
  appId: AppId
}

interface LoginCredentials {
  readonly username: string
  readonly password: string
}

/**
 * Checks the password; returns its stored hash. Throws `invalid-credentials` for a wrong one,
 * `invalid-operation` for the name of another account; failures are counted, see `verifyPassword` for
 * `too-many-requests` and `api-unavailable`. Must be called before a transaction, which calls {@link
 * assertPasswordCurrent}.
 */
export async function verifyLogin(
  call: Call,
  { username, password }: LoginCredentials
): Promise<string | undefined> {
  const { account, services, credentials, store } = call
  // The client may know the account by a former name.
  if (services.accounts.findServed(username.toLowerCase())?.id !== account.id)
    assertSameUsername(account.username, username)
  const hash = store.account.password()?.hash
  await assertPassword(services, credentials, { username: account.username, password, hash })
  return hash
}

/** Does the same work and throws the same error for a user who does not exist. */
export async function refuseUnknownUser(
  { services, credentials }: ServiceCall,
  pathUsername: string,
  { username, password }: LoginCredentials
): Promise<never> {
  assertSameUsername(pathUsername, username)
  await assertPassword(services, credentials, { username: pathUsername, password, hash: undefined })
  return fail('invalid-credentials')
}

/** Throws `invalid-credentials` unless the password that was checked is still the current one, and has not expired. */
export function assertPasswordCurrent({ services, now, store }: Call, hash: string | undefined): void {
  const password = store.account.password()
  if (password?.hash !== hash) fail('invalid-credentials')
  assertPasswordNotExpired(getPasswordTimes(services.config, password), now)
}

/**
 * Throws `invalid-operation` unless the user name in the body equals the user name in the path, in any case.
 */
function assertSameUsername(pathUsername: string, given: string): void {
  if (given.toLowerCase() !== pathUsername)
    fail('invalid-operation', 'The username does not match the one in the URL')
}
