/** ID tokens of OpenID Connect: who has signed in, and when. (docs/api/oauth.md#id-tokens) */
import { createHash, sign } from 'node:crypto'
import { algorithm, type SigningKey } from './keys.js'

/** Seconds for which an ID token is good. */
export const idTokenLifetime = 600

/** What an ID token tells. */
export interface IdTokenClaims {
  readonly issuer: string
  readonly client: string
  /** The id of the account: its name may be somebody else's one day. */
  readonly subject: string
  readonly nonce: string | undefined
  /** When the person has signed in, in seconds. */
  readonly authTime: number | undefined
  readonly accessToken: string
  readonly now: number
}

/** Returns an ID token: a JSON Web Signature. */
export function createIdToken({ id, key }: SigningKey, details: IdTokenClaims): string {
  const { accessToken, authTime, client, issuer, nonce, now, subject } = details
  const issued = Math.floor(now)
  const header = { alg: algorithm, typ: 'JWT', kid: id }
  const claims = {
    iss: issuer,
    sub: subject,
    aud: client,
    iat: issued,
    exp: issued + idTokenLifetime,
    ...(authTime !== undefined && { auth_time: Math.floor(authTime) }),
    ...(nonce !== undefined && { nonce }),
    // The left half of the digest that the algorithm is based on. (OpenID Connect Core, 3.1.3.6)
    at_hash: createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url')
  }
  const text = `${encodeJson(header)}.${encodeJson(claims)}`
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`
}

function encodeJson(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
