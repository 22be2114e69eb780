/**
 * The mark of accesses that came by OAuth, in their client data. It includes what the client may know of the user, and for
 * how long it asked: an access granted without this information, or until another end, is a different access.
 * (docs/api/oauth.md#accesses)
 */
import { isDeepStrictEqual } from 'node:util'
import type { Access } from '../../schemas/access.js'
import type { AuthRequest } from '../../schemas/auth-request.js'
import { oauthKey } from '../auth/oauth-marks.js'
import type { Client } from './clients.js'
import type { Scope } from './scope.js'

/**
 * Builds the `clientData` of an access that a client of OAuth gets: who the client is, its identity scopes, and the lifetime to
 * which the user agrees, in seconds. Clients prolong what they may use offline without the user.
 */
export function buildOAuthData(
  { id, name }: Client,
  { identity }: Scope,
  expireAfter?: number
): Record<string, unknown> {
  return {
    [oauthKey]: {
      clientId: id,
      ...(name !== undefined && { clientName: name }),
      scopes: identity.toSorted(),
      ...(expireAfter !== undefined && !identity.includes('offline_access') && { expireAfter })
    }
  }
}

/** Returns whether an access was granted for this request, or one like it. */
export function matchesRequest({ clientData }: Access, request: AuthRequest): boolean {
  return isDeepStrictEqual(clientData?.[oauthKey], request.clientData?.[oauthKey])
}
