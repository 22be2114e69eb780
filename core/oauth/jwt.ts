/** Signs JSON Web Tokens with a key of the service. */
import { sign } from 'node:crypto'
import { algorithm, type SigningKey } from './keys.js'

/** Returns a token: a JSON Web Signature of the claims, in its compact form. `type`: its media type, without `application/`. */
export function signToken({ id, key }: SigningKey, type: string, claims: object): string {
  const text = `${encodeJson({ alg: algorithm, typ: type, kid: id })}.${encodeJson(claims)}`
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`
}

function encodeJson(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
