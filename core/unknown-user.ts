/** Errors for users that are not served here: unknown, moved, suspended, or scheduled for deletion. (docs/spec/conventions.md#unknown-users-and-routes) */
import { ApiError, fail, quoteText } from './errors.js'

/** Where accounts have moved to, and whether they may be used. */
interface AccountLocations {
  /** Returns the new URL of an account that has moved; `undefined` for others. */
  getRelocationUrl(username: string): string | undefined
  /** Returns whether an operator has suspended the account. */
  isSuspended(username: string): boolean
  /**
   * Returns when an account that its owner has closed will be deleted, in seconds; `undefined` for others.
   */
  getDeletionTime(username: string): number | undefined
}

/**
 * Throws `user-account-relocated` for an account that has moved, `forbidden` for a suspended or closed account, else
 * `unknown-resource`.
 */
export function refuseUnknownUser(accounts: AccountLocations, username: string): never {
  const url = accounts.getRelocationUrl(username)
  if (url !== undefined) throw createRelocatedError(url)
  if (accounts.isSuspended(username)) throw createSuspendedError()
  const deletion = accounts.getDeletionTime(username)
  if (deletion !== undefined) throw createClosingError(deletion)
  return fail('unknown-resource', `Unknown user ${quoteText(username)}`)
}

/** Creates the error that redirects clients to another server. */
export function createRelocatedError(url: string): ApiError {
  return new ApiError('user-account-relocated', undefined, { data: url, location: url })
}

/**
 * Returns whether an account is not served now, but may be again: it has moved, is suspended, or was closed and not yet
 * deleted.
 */
export function isUnavailable(accounts: AccountLocations, username: string): boolean {
  return (
    accounts.getRelocationUrl(username) !== undefined ||
    accounts.isSuspended(username) ||
    accounts.getDeletionTime(username) !== undefined
  )
}

/**
 * Creates the error `forbidden` of calls on an account that will be deleted at a time (seconds); its data has the time.
 * (docs/spec/accounts.md#deleting-an-account)
 */
export function createClosingError(deletion: number): ApiError {
  const date = new Date(deletion * 1000).toISOString()
  return new ApiError('forbidden', `This account will be deleted on ${date}. Sign in to keep it`, {
    data: { deletion }
  })
}

/** Creates the error of every call on a suspended account. */
export function createSuspendedError(): ApiError {
  return new ApiError('forbidden', 'This account has been suspended by the operator', {
    data: { isSuspended: true }
  })
}
