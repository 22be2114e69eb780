/** Runs the operator's own authorization step, which can deny any call made with an access. */
import { Caller } from '../permissions/caller.js'
import { ApiError, fail } from '../errors.js'
import type { Credentials } from './credentials.js'
import type { Account } from '../../storage/platform/account.js'

/** Describes a call to the step: everything except its params. */
interface AuthorizationContext {
  readonly username: string
  readonly user: { readonly id: string; readonly username: string }
  readonly accessToken: string
  readonly callerId: string | undefined
  readonly access: object
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** Denies a call by throwing, by a rejected promise, or by passing an error to `done`. */
export type AuthorizationStep = (context: AuthorizationContext, done: (error?: unknown) => void) => unknown

/**
 * Runs the operator's step. Any error in it denies the call: throws `invalid-access-token`. Waits for the step
 * without a time limit.
 */
export async function runAuthorizationStep(
  step: AuthorizationStep,
  account: Account,
  caller: Caller,
  credentials: Credentials
): Promise<void> {
  const access = caller.access ?? fail('invalid-access-token')
  const { username } = account
  const context: AuthorizationContext = {
    username,
    user: { id: account.id, username },
    accessToken: access.token,
    callerId: caller.callerId,
    access: structuredClone(access),
    headers: credentials.headers ?? {}
  }
  try {
    await new Promise<void>((resolve, reject) => {
      const done = (error?: unknown): void => (error ? reject(error) : resolve())
      const returned = step(context, done)
      // A step without a callback has finished when it returns, or when its promise is settled.
      if (returned instanceof Promise) returned.then(() => resolve(), reject)
      else if (step.length < 2) resolve()
    })
  } catch (cause) {
    throw new ApiError('invalid-access-token', 'The authorization step denied this call', {
      cause,
      accessId: access.id
    })
  }
}
