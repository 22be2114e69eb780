/**
 * The mark of accesses that came by OAuth, in their client data. It includes what the client may know of the user: an
 * access granted without this information is a different access. (docs/api/oauth.md#accesses)
 */
import { isDeepStrictEqual } from 'node:util'
import type { Access } from '../../schemas/access.js'
import type { AuthRequest } from '../../schemas/auth-request.js'
import { bindingKey, oauthKey } from '../auth/oauth-marks.js'
import { fail } from '../errors.js'
import type { Client } from './clients.js'
import type { Scope } from './scope.js'

/** Builds the `clientData` of an access that a client of OAuth gets: who the client is, and its identity scopes. */
export function buildOAuthData({ id, name }: Client, { identity }: Scope): Record<string, unknown> {
  return {
    [oauthKey]: { clientId: id, ...(name !== undefined && { clientName: name }), scopes: identity.toSorted() }
  }
}

/** Throws `invalid-operation` for a request that claims to come by OAuth. */
export function assertNotImpersonatingOAuth({ clientData }: Pick<AuthRequest, 'clientData'>): void {
  for (const key of [oauthKey, bindingKey])
    if (clientData && Object.hasOwn(clientData, key))
      fail('invalid-operation', `The client data "${key}" can only be set by the service`)
}

/** Returns whether an access was granted for this request, or one like it. */
export function matchesRequest({ clientData }: Access, request: AuthRequest): boolean {
  return isDeepStrictEqual(clientData?.[oauthKey], request.clientData?.[oauthKey])
}
