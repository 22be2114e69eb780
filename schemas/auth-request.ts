/** An app's request for access, and the user's decision. (docs/spec/app-authorization.md#asking) */
import { Type, type Static } from 'typebox'
import { OAuthRequest } from './oauth.js'
import { KeyValue } from './scalars.js'

/** A request as stored. */
export const AuthRequest = Type.Object({
  requestingAppId: Type.String(),
  requestedPermissions: Type.Array(KeyValue),
  lang: Type.String(),
  /** `false` if the page closes itself. */
  returnURL: Type.Optional(Type.Union([Type.String(), Type.Literal(false)])),
  oauthState: Type.Optional(Type.String()),
  clientData: Type.Optional(KeyValue),
  serviceInfo: Type.Optional(KeyValue),
  deviceName: Type.Optional(Type.String()),
  expireAfter: Type.Optional(Type.Number()),
  referer: Type.Optional(Type.String()),
  /** Set if the request was made by OAuth. */
  oauth: Type.Optional(OAuthRequest)
})
export type AuthRequest = Static<typeof AuthRequest>

/**
 * The acceptance of a request, with the id of the granted access. The token stays in the user's own database; its
 * digest tells whether it is unchanged.
 */
export interface Acceptance {
  readonly status: 'ACCEPTED'
  readonly accessId: string
  readonly tokenDigest: string
}

/** A refusal, or a failure of the sign-in page. */
export interface Refusal {
  readonly status: 'REFUSED' | 'ERROR'
  readonly reasonId: string
  readonly message: string
  readonly detail?: string
}

/** The sign-in page has passed the request on: the user decides on another page. */
export interface Redirection {
  readonly status: 'REDIRECTED'
  readonly redirectUrl: string
}

export type Decision = Acceptance | Refusal | Redirection
