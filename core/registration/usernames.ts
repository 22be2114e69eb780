/** Decides which user names and email addresses are free, and which names are reserved. (docs/spec/registration.md#reserved-user-names) */
import type { Config } from '../settings/config.js'
import { aliasPattern } from '../../schemas/access.js'
import { reservedUsernames } from './reserved-usernames.js'
import { ApiError } from '../errors.js'
import type { Services } from '../call/services.js'

const reservedNames = new Set(reservedUsernames)

/**
 * Returns whether a new name is refused: a reserved one, or one with two hyphens in a row, which
 * separate the name from the host in the names of peers (docs/spec/consent.md#names). Existing accounts keep such names.
 */
export function isRefusedUsername(name: string, config: Parameters<typeof isReservedUsername>[1]): boolean {
  return name.includes('--') || isReservedUsername(name, config)
}

/**
 * Returns whether a name is reserved: the form of an access alias, a word of the service's paths, a name on the operator's list, an operator's name,
 * the first label of the public host, or a name that begins with the service's name. A user with such a name could
 * impersonate the service. Ignores case.
 */
export function isReservedUsername(
  name: string,
  {
    operators,
    service,
    registration,
    publicUrl
  }: Pick<Config, 'operators' | 'service' | 'registration' | 'publicUrl'>
): boolean {
  const username = name.toLowerCase()
  const serviceName = service.name.toLowerCase().replaceAll(/[^a-z0-9-]/g, '')
  return (
    aliasPattern.test(username) ||
    reservedNames.has(username) ||
    operators.includes(username) ||
    // Too many personal names begin with a shorter one.
    (serviceName.length > 2 && username.startsWith(serviceName)) ||
    registration.reservedUsernames.some(word => word.toLowerCase() === username) ||
    new URL(publicUrl).hostname.split('.')[0] === username
  )
}

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
