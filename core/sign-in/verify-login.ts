/** Proof of user name and password, for the methods that take them. (docs/spec/authentication.md#signing-in) */
import { Type } from 'typebox'
import { AppId } from '../../schemas/account.js'
import { fail } from '../errors.js'
import type { Call, ServiceCall } from '../call/method.js'
import { mustNotHaveExpired, passwordTimes } from './password-rules.js'
import { mustKnowPassword } from './verify-password.js'

/** Params of the methods that take a password in place of a token. */
export const LoginParams = {
  username: Type.String({ minLength: 1, maxLength: 100 }),
  password: Type.String({ minLength: 1, maxLength: 1000 }),
  appId: AppId
}

interface Given {
  readonly username: string
  readonly password: string
}

/** Checks the password; answers the hash that it has. Only before a transaction, which {@link mustStillHold}. */
export async function verifyLogin(call: Call, { username, password }: Given): Promise<string | undefined> {
  const { account, core, credentials, store } = call
  mustBeSame(account.username, username)
  const hash = store.account.password()?.hash
  await mustKnowPassword(core, credentials, account.username, password, hash)
  return hash
}

/** The same work for a user who does not exist, and the same answer. */
export async function verifyNobody(
  { core, credentials }: ServiceCall,
  addressed: string,
  { username, password }: Given
): Promise<never> {
  mustBeSame(addressed, username)
  await mustKnowPassword(core, credentials, addressed, password, undefined)
  return fail('invalid-credentials')
}

/** Raises `invalid-credentials` unless the password that was checked is the one in force still, and not past its time. */
export function mustStillHold({ core, now, store }: Call, hash: string | undefined): void {
  const password = store.account.password()
  if (password?.hash !== hash) fail('invalid-credentials')
  mustNotHaveExpired(passwordTimes(core.config, password), now)
}

/** The user of the path and that of the body. */
function mustBeSame(addressed: string, given: string): void {
  if (given.toLowerCase() !== addressed)
    fail('invalid-operation', 'The user name differs from the one that the request is addressed to')
}
