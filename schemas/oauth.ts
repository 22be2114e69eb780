/** What OAuth adds to apps, requests and accesses. (docs/api/oauth.md) */
import { Type, type Static } from 'typebox'
import { closed, Timestamp } from './scalars.js'

/** What a client may ask to know of the person, besides data in streams. */
export const IdentityScope = Type.Enum(['openid', 'profile', 'email', 'offline_access'])
export type IdentityScope = Static<typeof IdentityScope>

const Seconds = Type.Integer({ minimum: 1, maximum: 10_000_000_000 })

/** What the operator sets for an app that comes by OAuth. */
export const ClientSettings = Type.Object(
  {
    /** Compared exactly, but for the port of loopback addresses. */
    redirectURIs: Type.Array(Type.String({ minLength: 1, maxLength: 2000, form: 'redirectUri' }), {
      minItems: 1,
      maxItems: 100
    }),
    /** SHA-256 of the client's secret, in hexadecimal; absent for clients that cannot keep one. */
    secretHash: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$', secret: true })),
    /** The most that it may ask for, as scopes; absent: anything. */
    scopes: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 5000 }), { maxItems: 1000 })),
    /** Seconds after which its accesses end unless they are refreshed. */
    accessSeconds: Type.Optional(Seconds),
    /** Seconds for which a refresh token can be used. */
    refreshSeconds: Type.Optional(Seconds)
  },
  closed
)
export type ClientSettings = Static<typeof ClientSettings>

/** A client that has registered itself. */
export interface RegisteredClient extends ClientSettings {
  readonly id: string
  readonly name?: string
  /** Seconds. */
  readonly created: number
}

/** An authorization request, as kept with the request of an app that it becomes. */
export const OAuthRequest = Type.Object({
  redirectUri: Type.String(),
  challenge: Type.String(),
  scopes: Type.Array(IdentityScope),
  prompts: Type.Array(Type.String()),
  state: Type.Optional(Type.String()),
  nonce: Type.Optional(Type.String()),
  maxAge: Type.Optional(Type.Number()),
  /** The name or address that the person is expected to sign in with. */
  loginHint: Type.Optional(Type.String()),
  /** The user whose account is asked for. */
  username: Type.Optional(Type.String()),
  clientName: Type.Optional(Type.String()),
  isSelfRegistered: Type.Optional(Type.Literal(true)),
  /** Whether nothing proves that the client is the one that was allowed before. */
  isUnproven: Type.Optional(Type.Literal(true))
})
export type OAuthRequest = Static<typeof OAuthRequest>

/** What pages have to know of it. */
export const OAuthNotice = Type.Object({
  scopes: Type.Array(IdentityScope),
  clientName: Type.Optional(Type.String()),
  isSelfRegistered: Type.Optional(Type.Literal(true)),
  /** Whether to ask even if the app has its access already. */
  isAsked: Type.Boolean()
})
export type OAuthNotice = Static<typeof OAuthNotice>

/** What a client holds of an access. */
export interface OAuthGrant {
  readonly client: string
  readonly clientName?: string
  readonly scopes: readonly IdentityScope[]
  /** When the person agreed, and when the client last refreshed it; seconds. */
  readonly created: number
  readonly used?: number
}

/** How an app holds its access, as its owner sees it. */
export const HeldByOAuth = Type.Object({
  clientId: Type.String(),
  clientName: Type.Optional(Type.String()),
  scopes: Type.Array(IdentityScope),
  granted: Timestamp,
  refreshed: Type.Optional(Timestamp),
  /** Until when the app can prolong it; absent if it cannot. */
  renewableUntil: Type.Optional(Timestamp)
})
export type HeldByOAuth = Static<typeof HeldByOAuth>
