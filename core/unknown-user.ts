/** Errors for users that are not served here: unknown, moved, suspended, or scheduled for deletion. (docs/spec/conventions.md#unknown-users-and-routes) */
import { ApiError, fail } from './errors.js'

/** Tells where accounts have moved, and whether they may be used. */
export interface AccountLocations {
  /** The new place of an account that has moved. */
  relocatedTo(username: string): string | undefined
  /** Whether an operator lets nobody use the account. */
  isSuspended(username: string): boolean
  /** When an account that its owner has closed will be deleted, in seconds. */
  getDeletionTime(username: string): number | undefined
}

/** Throws `user-account-relocated` for an account that has moved, `forbidden` for a suspended or closed one, else `unknown-resource`. */
export function refuseUnknownUser(accounts: AccountLocations, username: string): never {
  const url = accounts.relocatedTo(username)
  if (url !== undefined) throw createRelocatedError(url)
  if (accounts.isSuspended(username)) throw createSuspendedError()
  const deletion = accounts.getDeletionTime(username)
  if (deletion !== undefined) throw createClosingError(deletion)
  return fail('unknown-resource', `Unknown user "${username.slice(0, 100)}"`)
}

/** The error that redirects clients to another server. */
export function createRelocatedError(url: string): ApiError {
  return new ApiError('user-account-relocated', undefined, { data: url, location: url })
}

/** Whether an account has moved, is suspended or closed, so that it may be served here again. */
export function isUnavailable(accounts: AccountLocations, username: string): boolean {
  return (
    accounts.relocatedTo(username) !== undefined ||
    accounts.isSuspended(username) ||
    accounts.getDeletionTime(username) !== undefined
  )
}

/** The error of calls on an account that will be deleted at a time (seconds). (docs/spec/accounts.md#deleting-an-account) */
export function createClosingError(deletion: number): ApiError {
  const date = new Date(deletion * 1000).toISOString()
  return new ApiError('forbidden', `This account will be deleted on ${date}. Sign in to keep it`, {
    data: { deletion }
  })
}

/** The error of every call on a suspended account. */
export function createSuspendedError(): ApiError {
  return new ApiError('forbidden', 'This account has been suspended by the operator', {
    data: { isSuspended: true }
  })
}
