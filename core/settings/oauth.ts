/** Settings of OAuth, besides those of single clients in `access.apps`. */
import { checkRedirectUri } from '../redirect-uri.js'
import { flag, group, whole } from './kinds.js'

export const oauth = group({
  registration: flag(
    'Let programs register themselves as clients of OAuth, as assistants do (RFC 7591)',
    false
  ),
  maxClients: whole('Clients that have registered themselves, at a time', 1000, 1),
  maxClientsPerHour: whole(
    'Clients that register themselves in an hour from one address, loopback excepted',
    20,
    1
  ),
  clientMaxAge: whole('Time for which such a client is kept that is not used, seconds', 7_776_000, 3600),
  accessSeconds: whole(
    'Time after which an access ends that the app can refresh (`offline_access`), unless its app has another, seconds',
    3600,
    60,
    10_000_000_000
  ),
  refreshSeconds: whole(
    'Time for which a refresh token can be used, unless its app has another, seconds',
    7_776_000,
    60,
    10_000_000_000
  ),
  keyMaxAge: whole('Time after which ID tokens are signed with another key, seconds', 15_552_000, 86_400)
})

/** Returns the redirect URIs of apps whose scheme is not among those that people may be sent back to, each with its place. */
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
