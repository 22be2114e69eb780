/** OAuth settings, besides those of single clients in `access.apps`. */
import { createPublicKey, type JsonWebKey } from 'node:crypto'
import { checkRedirectUri } from '../../redirect-uri.js'
import { flag, group, integer } from '../kinds.js'

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
    'Lifetime of an unused refresh token, in seconds. Each refresh restarts it. Apps can override it',
    2_592_000,
    60,
    10_000_000_000
  ),
  refreshAbsoluteSeconds: integer(
    'Time after which the user has to be asked again, however often the app refreshes, in seconds',
    7_776_000,
    60,
    10_000_000_000
  ),
  requireAppAccountMfa: flag(
    'Refuse tokens for the own account of a client (`client_credentials`) until two-factor authentication is turned on there',
    true
  ),
  keyMaxAge: integer(
    'Time after which the key that signs ID tokens is replaced, in seconds',
    15_552_000,
    86_400
  )
})

/** Other names of settings, as used by version 2 of the platform. */
export const oauthAliases: Readonly<Record<string, string>> = {
  'oauth.accessTokenTTL': 'oauth.accessSeconds',
  'oauth.refreshTokenTTL': 'oauth.refreshSeconds',
  'oauth.refreshTokenAbsoluteTTL': 'oauth.refreshAbsoluteSeconds'
}

/**
 * Describes what is wrong with redirect URIs of apps, each by its place and the rule that it breaks, as in
 * `access.apps[0].oauth.redirectURIs[1] must not have a fragment`. Empty if there is nothing, also for values of other types.
 */
export function findRedirectProblems(access: unknown): string[] {
  // The values may be of any type: the schema check reports wrong types.
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

/**
 * Describes what is wrong with keys of apps, each by its place: those that are no points of their curve, and those that have
 * the id of an earlier key of the app. Empty if there is nothing.
 */
export function findKeyProblems(access: unknown): string[] {
  const { apps } = access as { apps: unknown }
  return (Array.isArray(apps) ? (apps as unknown[]) : []).flatMap((each, app) => {
    const { keys } = Object((Object(each) as { oauth?: unknown }).oauth) as { keys?: unknown }
    const all = (Array.isArray(keys) ? keys : []) as readonly { readonly kid?: unknown }[]
    return all.flatMap((key, index) => {
      const place = `access.apps[${app}].oauth.keys[${index}]`
      if (all.findIndex(({ kid }) => kid === key.kid) < index) return [`${place} has the kid of another key`]
      return isPublicKey(key) ? [] : [`${place} is not a public key on the curve P-256`]
    })
  })
}

function isPublicKey(jwk: object): boolean {
  try {
    createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' })
    return true
  } catch {
    return false
  }
}
