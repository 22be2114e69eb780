/**
 * The mark of accesses that came by OAuth, in their client data. It includes what the client may know of the user: an
 * access granted without this information is a different access. (docs/api/oauth.md#accesses)
 */
import { isDeepStrictEqual } from 'node:util'
import type { Access } from '../../schemas/access.js'
import type { AuthRequest } from '../../schemas/auth-request.js'
import { oauthKey } from '../auth/oauth-marks.js'
import type { Client } from './clients.js'
import type { Scope } from './scope.js'

/** Builds the `clientData` of an access that a client of OAuth gets: who the client is, and its identity scopes. */
export function buildOAuthData({ id, name }: Client, { identity }: Scope): Record<string, unknown> {
  return {
    [oauthKey]: { clientId: id, ...(name !== undefined && { clientName: name }), scopes: identity.toSorted() }
  }
}

/** Returns whether an access was granted for this request, or one like it. */
export function matchesRequest({ clientData }: Access, request: AuthRequest): boolean {
  return isDeepStrictEqual(clientData?.[oauthKey], request.clientData?.[oauthKey])
}
