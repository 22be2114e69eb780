/** Decides which user names are reserved. (docs/spec/registration.md#reserved-user-names) */
import type { Config } from '../settings/config.js'
import { reservedUsernames } from './reserved-usernames.js'

const reservedNames = new Set(reservedUsernames)

/**
 * Returns whether a name is reserved: a word of the service's paths, a name on the operator's list, an operator's name,
 * the first label of the public host, a name that begins with the service's name, or one that cannot take part in consent. A user with such a name could
 * impersonate the service. Ignores case.
 */
export function isReservedUsername(
  name: string,
  {
    cmc,
    operators,
    service,
    registration,
    publicUrl
  }: Pick<Config, 'cmc' | 'operators' | 'service' | 'registration' | 'publicUrl'>
): boolean {
  const username = name.toLowerCase()
  const serviceName = service.name.toLowerCase().replaceAll(/[^a-z0-9-]/g, '')
  return (
    reservedNames.has(username) ||
    operators.includes(username) ||
    // Too many personal names begin with a shorter one.
    (serviceName.length > 2 && username.startsWith(serviceName)) ||
    registration.reservedUsernames.some(word => word.toLowerCase() === username) ||
    new URL(publicUrl).hostname.split('.')[0] === username ||
    // Streams are named after peers: two hyphens separate the name from the host. (docs/spec/consent.md#names)
    (cmc.enabled && username.includes('--'))
  )
}
