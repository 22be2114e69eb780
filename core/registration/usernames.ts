/** Decides which user names are reserved. (docs/spec/registration.md#reserved-user-names) */
import type { Config } from '../settings/config.js'
import { reservedUsernames } from './reserved-usernames.js'

const reservedNames = new Set(reservedUsernames)

/**
 * Whether a name is a word of the service, of the platform, or on the operator's list, is that of an operator, or begins with the platform's own
 * name: such a user could pass for the service itself.
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
  const platform = service.name.toLowerCase().replaceAll(/[^a-z0-9-]/g, '')
  return (
    reservedNames.has(username) ||
    operators.includes(username) ||
    // Too many personal names begin with a shorter one.
    (platform.length > 2 && username.startsWith(platform)) ||
    registration.reservedUsernames.some(word => word.toLowerCase() === username) ||
    new URL(publicUrl).hostname.split('.')[0] === username
  )
}
