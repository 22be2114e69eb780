/** What OAuth adds to apps, requests and accesses. (docs/api/oauth.md) */
import { Type, type Static } from 'typebox'
import { closed, Timestamp } from './scalars.js'

/** Scopes about the user, and for access while they are absent. */
const userScopes = ['openid', 'profile', 'email', 'offline_access', 'fhirUser', 'launch/patient'] as const

/**
 * Scopes of SMART App Launch on resources, such as `patient/Observation.rs`. Observations may be limited to a category or a
 * LOINC code.
 */
export const resourceScopePattern =
  '^patient/(?:(?:\\*|DocumentReference|Observation|Patient|QuestionnaireResponse)\\.(?:read|r|s|rs)|Observation\\.(?:read|r|s|rs)' +
  '\\?(?:category=(?:http://terminology\\.hl7\\.org/CodeSystem/observation-category\\|)?(?:vital-signs|laboratory|activity)' +
  '|code=(?:http://loinc\\.org\\|)?\\d{1,7}-\\d))$'

/** What a client may request besides data in streams: information about the user, and resources of FHIR. */
export const IdentityScope = Type.Unsafe<(typeof userScopes)[number] | `patient/${string}`>(
  Type.String({ pattern: `^(?:${userScopes.join('|')})$|${resourceScopePattern}`, maxLength: 200 })
)
export type IdentityScope = Static<typeof IdentityScope>

const Seconds = Type.Integer({ minimum: 1, maximum: 10_000_000_000 })

const Coordinate = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' })

/** A public key with which a client signs its assertions (`private_key_jwt`): a JSON Web Key, without its private part. */
export const ClientKey = Type.Object(
  {
    kid: Type.String({ minLength: 1, maxLength: 200, pattern: '^[!-~]+$' }),
    kty: Type.Enum(['EC']),
    crv: Type.Enum(['P-256']),
    x: Coordinate,
    y: Coordinate,
    alg: Type.Optional(Type.Enum(['ES256'])),
    use: Type.Optional(Type.Enum(['sig'])),
    /** True for a key that must no longer be used. Operators can also revoke keys while the service runs. */
    revoked: Type.Optional(Type.Boolean())
  },
  closed
)
export type ClientKey = Static<typeof ClientKey>

/** The operator's settings for an app that uses OAuth. */
export const ClientSettings = Type.Object(
  {
    /** Compared exactly, except for the port of loopback addresses. */
    redirectURIs: Type.Array(Type.String({ minLength: 1, maxLength: 2000, form: 'redirectUri' }), {
      minItems: 1,
      maxItems: 100
    }),
    /** SHA-256 of the client's secret, in hexadecimal; absent for public clients. */
    secretHash: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$', secret: true })),
    /** Keys with which the client proves itself; a client with keys is confidential. */
    keys: Type.Optional(Type.Array(ClientKey, { minItems: 1, maxItems: 50 })),
    /** User name of the client's own account, for its calls on its own behalf. The account need not exist yet. */
    account: Type.Optional(Type.String({ pattern: '^[a-z0-9][a-z0-9-]{3,58}[a-z0-9]$' })),
    /** Offers that the client has published, by name: the URL of each, with its token. */
    offers: Type.Optional(
      Type.Record(
        Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$' }),
        Type.String({ pattern: '^https?://[^\\s]{1,2000}$' }),
        { secret: true }
      )
    ),
    /** The scopes that the client may request; absent: any scope. */
    scopes: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 5000 }), { maxItems: 1000 })),
    /** Lifetime of the client's accesses in seconds, unless they are refreshed. */
    accessSeconds: Type.Optional(Seconds),
    /** Lifetime of a refresh token, in seconds. */
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

/** An OAuth authorization request, as stored with the app's access request into which it is converted. */
export const OAuthRequest = Type.Object({
  redirectUri: Type.String(),
  challenge: Type.String(),
  scopes: Type.Array(IdentityScope),
  prompts: Type.Array(Type.String()),
  state: Type.Optional(Type.String()),
  nonce: Type.Optional(Type.String()),
  maxAge: Type.Optional(Type.Number()),
  /** The name or address with which the user is expected to sign in. */
  loginHint: Type.Optional(Type.String()),
  /** The user whose account is requested. */
  username: Type.Optional(Type.String()),
  clientName: Type.Optional(Type.String()),
  /** The name of the offer that the user is asked to accept, among those of the client. */
  offer: Type.Optional(Type.String()),
  isSelfRegistered: Type.Optional(Type.Literal(true)),
  /** True if there is no proof that the client is the same client as the one that the user allowed before. */
  isUnproven: Type.Optional(Type.Literal(true))
})
export type OAuthRequest = Static<typeof OAuthRequest>

/** What pages show of an OAuth request. */
export const OAuthNotice = Type.Object({
  scopes: Type.Array(IdentityScope),
  clientName: Type.Optional(Type.String()),
  isSelfRegistered: Type.Optional(Type.Literal(true)),
  /** True to ask even if the app already has its access. */
  isAsked: Type.Boolean()
})
export type OAuthNotice = Static<typeof OAuthNotice>

/** The grant of an access to a client. */
export interface OAuthGrant {
  readonly client: string
  readonly clientName?: string
  readonly scopes: readonly IdentityScope[]
  /** When the user agreed, and when the client last refreshed the grant, in seconds. */
  readonly created: number
  readonly used?: number
  /** When the client has to ask the user again, in seconds, however often it refreshes. */
  readonly ends?: number
}

/** An app's grant, as shown to the owner. */
export const HeldByOAuth = Type.Object({
  clientId: Type.String(),
  clientName: Type.Optional(Type.String()),
  scopes: Type.Array(IdentityScope),
  granted: Timestamp,
  refreshed: Type.Optional(Timestamp),
  /** Until when the app can refresh the access; absent if it cannot. */
  renewableUntil: Type.Optional(Timestamp)
})
export type HeldByOAuth = Static<typeof HeldByOAuth>
