/** Errors for users that are not served here: unknown, or moved. (docs/spec/conventions.md#unknown-users-and-routes) */
import { ApiError, fail } from './errors.js'

/** Tells where accounts have moved. */
export interface Whereabouts {
  /** The new place of an account that has moved. */
  relocatedTo(username: string): string | undefined
}

/** Throws `user-account-relocated` for an account that has moved, else `unknown-resource`. */
export function unknownUser(accounts: Whereabouts, username: string): never {
  const url = accounts.relocatedTo(username)
  if (url !== undefined) throw relocated(url)
  return fail('unknown-resource', `Unknown user "${username.slice(0, 100)}"`)
}

/** The error that redirects clients to another server. */
export function relocated(url: string): ApiError {
  return new ApiError('user-account-relocated', undefined, { data: url, location: url })
}
