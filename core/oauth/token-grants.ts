/** Grants of clients: found by a token, and as owners see them. (docs/api/oauth.md#accesses) */
import { Type, type Static } from 'typebox'
import type { Access } from '../../schemas/access.js'
import type { HeldByOAuth, IdentityScope } from '../../schemas/oauth.js'
import type { StoredGrant } from '../../storage/oauth/oauth-grants.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Call, ServiceCall } from '../call/method.js'
import { getEffectiveGrants } from '../permissions/effective-grants.js'
import { getOfferEnd, isRefreshable } from '../permissions/offer-session.js'
import { ClientParams, authenticateClient, type Client } from './clients.js'
import { failOAuth } from './errors.js'
import { findSuccessor, parseRefreshToken } from './tokens.js'

/** Params of methods about a token of the client. */
export const TokenParams = Type.Object({
  ...ClientParams,
  token: Type.Optional(Type.String({ maxLength: 5000 })),
  token_type_hint: Type.Optional(Type.String({ maxLength: 100 }))
})
type TokenParams = Static<typeof TokenParams>

/** The client of a request, and its token. */
export interface TokenRequest {
  readonly client: Client
  readonly token: string
}

/** Returns the client of a call and the token in question. Throws `invalid_client`, `invalid_request`. */
export async function parseTokenRequest(call: ServiceCall, params: TokenParams): Promise<TokenRequest> {
  const client = await authenticateClient(call, params)
  return { client, token: params.token ?? failOAuth('invalid_request', 'The token is missing') }
}

/** The access of a token, and the grant of its client. */
export interface TokenGrant {
  readonly access: Access
  readonly grant: StoredGrant
  /** When the token ends, in seconds; `Infinity` if it never ends. An access token that has expired can be refreshed. */
  readonly expires: number
  readonly isRefreshToken: boolean
}

/**
 * Returns the access and grant of a valid access token or refresh token, or of an access token that has expired and can be
 * refreshed; `undefined` for any other, also if the call names the account otherwise than the client knows it.
 */
export function findTokenGrant(
  { account, now, store }: Pick<Call, 'account' | 'now' | 'store'>,
  token: string
): TokenGrant | undefined {
  const held = findGrant(store, token, now)
  // The name in the token has to be the one that the client knows.
  return held?.access.alias === account.alias ? held : undefined
}

/**
 * Finds the grant of an access token or a refresh token; `undefined` if the token is not in force, except an access token that
 * has expired and can be refreshed. `now` in seconds.
 */
function findGrant(store: UserStore, token: string, now: number): TokenGrant | undefined {
  const access = store.accesses.findByToken(token)
  if (access) {
    const [grant] = store.oauthGrants.list(access.id)
    const { ends } = getEffectiveGrants(store, access)
    return grant && access.type === 'app' && (ends > now || isRefreshable(store, access, now))
      ? { access, grant, expires: ends, isRefreshToken: false }
      : undefined
  }
  const parts = parseRefreshToken(token)
  const found = parts && store.oauthGrants.find(parts)
  if (!found) return undefined
  const { access: accessId, expires = 0 } = found.grant
  const isValid = found.isCurrent || findSuccessor(found.grant, parts.secret, now) !== undefined
  const refreshed = isValid && expires > now ? store.accesses.find(accessId) : undefined
  return refreshed && { access: refreshed, grant: found.grant, expires, isRefreshToken: true }
}

/**
 * Returns what the clients of an access may know of the user: with several devices, all that was granted.
 * Empty if it did not come by OAuth.
 */
export function getIdentityScopes(store: UserStore, access: Access): ReadonlySet<IdentityScope> {
  return new Set(store.oauthGrants.list(access.id).flatMap(({ scopes }) => scopes))
}

/** Returns how an app holds an access; `undefined` unless it came by OAuth. `now` in seconds. */
export function describeOAuthGrant(
  store: UserStore,
  access: Pick<Access, 'clientData' | 'id' | 'type'>,
  now: number
): HeldByOAuth | undefined {
  if (access.type !== 'app') return undefined
  const grants = store.oauthGrants.list(access.id)
  const [latest] = grants
  if (!latest) return undefined
  const ends = Math.max(...grants.map(({ expires = 0 }) => expires))
  const renewableUntil = Math.min(ends, getOfferEnd(store, access))
  const used = grants.flatMap(each => each.used ?? [])
  return {
    clientId: latest.client,
    ...(latest.clientName !== undefined && { clientName: latest.clientName }),
    scopes: [...latest.scopes],
    granted: latest.created,
    ...(used.length > 0 && { refreshed: Math.max(...used) }),
    ...(renewableUntil > now && { renewableUntil })
  }
}
