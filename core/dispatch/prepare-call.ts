/** Prepares a call before it runs, and undoes that if it then fails. */
import type { Call, UserMethod } from '../call/method.js'
import { ApiError } from '../errors.js'

/**
 * Prepares a call, and runs it with what was prepared; discards that if the call fails. Rejects with the errors of both,
 * and with those of `openStore` if preparing failed because the account has ended in the meantime.
 */
export async function prepareCall<T>(
  definition: UserMethod,
  call: Call,
  params: unknown,
  run: (prepared: unknown) => Promise<T>
): Promise<T> {
  const { account, services } = call
  let prepared: unknown
  try {
    prepared = await definition.prepare!(call, params)
  } catch (error) {
    // Throws the right error if the account was deleted or suspended in the meantime.
    if (!(error instanceof ApiError)) services.accounts.openStore(account)
    throw error
  }
  try {
    return await run(prepared)
  } catch (error) {
    await definition.discard?.(call, prepared)
    throw error
  }
}
