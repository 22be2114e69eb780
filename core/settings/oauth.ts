/** OAuth settings, besides those of single clients in `access.apps`. */
import { checkRedirectUri } from '../redirect-uri.js'
import { flag, group, integer } from './kinds.js'

export const oauth = group({
  registration: flag(
    'Allow programs such as AI assistants to register themselves as OAuth clients (RFC 7591)',
    false
  ),
  maxClients: integer('Maximum number of self-registered clients', 1000, 1),
  maxClientsPerHour: integer(
    'Maximum number of self-registrations of clients per hour from one IP address, except loopback',
    20,
    1
  ),
  clientMaxAge: integer('Time that an unused self-registered client is kept, in seconds', 7_776_000, 3600),
  accessSeconds: integer(
    'Lifetime of an access that the app can refresh (`offline_access`), in seconds. Apps can override it',
    3600,
    60,
    10_000_000_000
  ),
  refreshSeconds: integer(
    'Lifetime of a refresh token, in seconds. Apps can override it',
    7_776_000,
    60,
    10_000_000_000
  ),
  keyMaxAge: integer(
    'Time after which the key that signs ID tokens is replaced, in seconds',
    15_552_000,
    86_400
  )
})

/** Returns the redirect URIs of apps whose scheme is not allowed, each with its place. */
export function findRedirectProblems(access: unknown): string[] {
  // They may be of any type: the schema check reports that.
  const { apps, returnSchemes } = access as { apps: unknown; returnSchemes: unknown }
  const schemes = filterTexts(returnSchemes)
  return (Array.isArray(apps) ? (apps as unknown[]) : []).flatMap((each, app) => {
    const { redirectURIs } = Object((Object(each) as { oauth?: unknown }).oauth) as { redirectURIs?: unknown }
    return filterTexts(redirectURIs).flatMap((uri, index) => {
      const fault = checkRedirectUri(uri, schemes)
      return fault === undefined ? [] : [`access.apps[${app}].oauth.redirectURIs[${index}] ${fault}`]
    })
  })
}

function filterTexts(list: unknown): string[] {
  return Array.isArray(list) ? list.filter(each => typeof each === 'string') : []
}
