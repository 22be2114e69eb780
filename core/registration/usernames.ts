/** Which user names nobody may take. (docs/spec/registration.md#reserved-user-names) */
import type { Config } from '../settings/config.js'
import { reservedUsernames } from './reserved-usernames.js'

const reserved = new Set(reservedUsernames)

/**
 * Whether a name is a word of the service, of the platform, or on the operator's list, or begins with the platform's own
 * name: who bears it could pass for the service itself.
 */
export function isReservedUsername(
  name: string,
  { service, registration, publicUrl }: Pick<Config, 'service' | 'registration' | 'publicUrl'>
): boolean {
  const username = name.toLowerCase()
  const platform = service.name.toLowerCase().replaceAll(/[^a-z0-9-]/g, '')
  return (
    reserved.has(username) ||
    // Shorter ones begin too many names of people.
    (platform.length > 2 && username.startsWith(platform)) ||
    registration.reservedUsernames.some(word => word.toLowerCase() === username) ||
    new URL(publicUrl).hostname.split('.')[0] === username
  )
}
