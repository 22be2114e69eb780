/** Errors for users that are not served here: unknown, moved, suspended, or scheduled for deletion. (docs/spec/conventions.md#unknown-users-and-routes) */
import { ApiError, fail } from './errors.js'

/** Tells where accounts have moved, and whether they may be used. */
export interface Whereabouts {
  /** The new place of an account that has moved. */
  getRelocationUrl(username: string): string | undefined
  /** Whether an operator lets nobody use the account. */
  isSuspended(username: string): boolean
  /** When an account that its owner has closed will be deleted, in seconds. */
  getDeletionTime(username: string): number | undefined
}

/** Throws `user-account-relocated` for an account that has moved, `forbidden` for a suspended or closed one, else `unknown-resource`. */
export function unknownUser(accounts: Whereabouts, username: string): never {
  const url = accounts.getRelocationUrl(username)
  if (url !== undefined) throw relocated(url)
  if (accounts.isSuspended(username)) throw suspended()
  const deletion = accounts.getDeletionTime(username)
  if (deletion !== undefined) throw closing(deletion)
  return fail('unknown-resource', `Unknown user "${username.slice(0, 100)}"`)
}

/** The error that redirects clients to another server. */
export function relocated(url: string): ApiError {
  return new ApiError('user-account-relocated', undefined, { data: url, location: url })
}

/** Whether an account has moved, is suspended or closed, so that it may be served here again. */
export function isAway(accounts: Whereabouts, username: string): boolean {
  return (
    accounts.getRelocationUrl(username) !== undefined ||
    accounts.isSuspended(username) ||
    accounts.getDeletionTime(username) !== undefined
  )
}

/** The error of calls on an account that will be deleted at a time (seconds). (docs/spec/accounts.md#deleting-an-account) */
export function closing(deletion: number): ApiError {
  const date = new Date(deletion * 1000).toISOString()
  return new ApiError(
    'forbidden',
    `This account is scheduled for deletion on ${date}. Sign in on the pages of the service to keep it`,
    { data: { deletion } }
  )
}

/** The error of every call on a suspended account. */
export function suspended(): ApiError {
  return new ApiError('forbidden', 'The operator of this service has suspended the account', {
    data: { isSuspended: true }
  })
}
