/** Checks which user names and email addresses are free. `check_username` is public by the specification. (docs/spec/registration.md#checking-a-user-name) */
import { ApiError } from '../errors.js'
import { isRefusedUsername } from './usernames.js'
import type { Services } from '../call/services.js'

/**
 * Returns whether an account has this email address, or is being created with this address. Further addresses
 * of an account count once they are verified.
 */
export function isTakenEmail({ platform }: Services, email: string): boolean {
  return platform.findByUnique('email', email) !== undefined
}

/** Returns why a user name is unavailable; `false` if it is available. */
export function findUsernameProblem(
  { config, platform }: Services,
  username: string
): 'taken' | 'reserved' | false {
  if (isRefusedUsername(username, config)) return 'reserved'
  return platform.usernames.isTaken(username) ? 'taken' : false
}

/** Throws `item-already-exists`, with `reserved: true` and the members of `beside` next to the error. */
export function refuseAsTaken(field: 'username' | 'email', value: string, beside: object = {}): never {
  throw new ApiError('item-already-exists', `This ${field} is already taken`, {
    data: { [field]: value },
    beside: { reserved: true, ...beside }
  })
}
