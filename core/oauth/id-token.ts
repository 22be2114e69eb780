/** ID tokens of OpenID Connect: who has signed in, and when. (docs/api/oauth.md#id-tokens) */
import { createHash } from 'node:crypto'
import { signToken } from './jwt.js'
import type { SigningKey } from './keys.js'

/** Lifetime of an ID token in seconds. */
export const idTokenLifetime = 600

/** The contents of an ID token. */
export interface IdTokenClaims {
  readonly issuer: string
  readonly client: string
  /** The id of the account: its user name may belong to another user one day. */
  readonly subject: string
  readonly nonce: string | undefined
  /** When the person has signed in, in seconds. */
  readonly authTime: number | undefined
  readonly accessToken: string
  /** URL of the user's resource of FHIR, if the client may know it. */
  readonly fhirUser: string | undefined
  readonly now: number
}

/** Returns an ID token: a JSON Web Signature. */
export function createIdToken(key: SigningKey, details: IdTokenClaims): string {
  const { accessToken, authTime, client, fhirUser, issuer, nonce, now, subject } = details
  const issued = Math.floor(now)
  const claims = {
    iss: issuer,
    sub: subject,
    aud: client,
    iat: issued,
    exp: issued + idTokenLifetime,
    ...(authTime !== undefined && { auth_time: Math.floor(authTime) }),
    ...(nonce !== undefined && { nonce }),
    ...(fhirUser !== undefined && { fhirUser }),
    // The left half of the digest that the algorithm is based on. (OpenID Connect Core, 3.1.3.6)
    at_hash: createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url')
  }
  return signToken(key, 'JWT', claims)
}
