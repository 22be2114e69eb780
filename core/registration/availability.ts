/** What somebody who wants to register could have. `check_username` is public by the specification. (docs/spec/registration.md#checking-a-user-name) */
import { ApiError } from '../errors.js'
import { isReservedUsername } from './usernames.js'
import type { Services } from '../call/services.js'

/** Whether an account has this e-mail address, or is about to. */
export function isTakenEmail({ platform }: Services, email: string): boolean {
  return platform.findByUnique('email', email) !== undefined
}

/** Whether a user name cannot be had, and why. */
export function isTakenUsername(
  { config, platform }: Services,
  username: string
): 'taken' | 'reserved' | false {
  if (isReservedUsername(username, config)) return 'reserved'
  return platform.find(username) ? 'taken' : false
}

/** Raises `item-already-exists`, with `reserved: true` beside it. */
export function refuseAsTaken(field: 'username' | 'email', value: string, beside: object = {}): never {
  throw new ApiError('item-already-exists', `This ${field} cannot be had any more`, {
    data: { [field]: value },
    beside: { reserved: true, ...beside }
  })
}
