/**
 * Proofs of possession of a key (DPoP, RFC 9449): a token that is bound to a key is useless without the key.
 * (docs/api/oauth.md#proof-of-possession)
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { KeyProof } from '../call/credentials.js'
import { parseWebUrl } from '../parse-url.js'
import { getTokenId, loadJose, proofAlgorithm } from './jose.js'

/** A valid proof. */
export interface ValidProof {
  /** The thumbprint of the key. (RFC 7638) */
  readonly thumbprint: string
  /** What distinguishes the proof from all others. */
  readonly key: string
}

/** Why a proof is refused: text for clients. */
export class InvalidProof extends Error {}

/** Maximum length of a proof, in bytes. */
const maxLength = 4096
/** Seconds by which the time in a proof may differ from the time of the service. */
const tolerance = 120
/** Seconds for which a used proof is remembered: longer than it could be valid. */
export const proofLifetime = 300

/**
 * Verifies the proof of a request. `token`: the access token that comes with it; `undefined` at the token endpoint. `now`
 * in seconds. Throws {@link InvalidProof}. Does not check whether the proof has been used before.
 */
export async function verifyProof(proof: KeyProof, now: number, token?: string): Promise<ValidProof> {
  if (Buffer.byteLength(proof.text) > maxLength) refuse(`is longer than ${maxLength} bytes`)
  const { calculateJwkThumbprint, decodeProtectedHeader, importJWK, jwtVerify } = await loadJose()
  const jwk = parseKey(decodeOrRefuse(() => decodeProtectedHeader(proof.text).jwk))
  const options = {
    algorithms: [proofAlgorithm],
    typ: 'dpop+jwt',
    currentDate: new Date(now * 1000),
    clockTolerance: tolerance
  }
  const payload = await importJWK(jwk, proofAlgorithm)
    .then(async key => (await jwtVerify(proof.text, key, options)).payload)
    .catch(() => refuse('has no valid signature, type or time'))
  const id = getTokenId(payload) ?? refuse('has no jti, or one longer than 256 characters')
  if (payload['htm'] !== proof.verb) refuse(`is not for the method ${proof.verb} (htm)`)
  if (!proof.urls.some(url => isSameUrl(payload['htu'], url)))
    refuse(`is not for the URL ${proof.urls[0]} (htu)`)
  if (typeof payload.iat !== 'number' || Math.abs(payload.iat - now) > tolerance)
    refuse('is too old or too new (iat): check the clock')
  if (token !== undefined && !isDigest(payload['ath'], token)) refuse('is not for this access token (ath)')
  const thumbprint = await calculateJwkThumbprint(jwk)
  return { thumbprint, key: `${thumbprint} ${id}` }
}

/**
 * Returns whether two URLs are the same without query and fragment, in the normal form of RFC 3986, 6.2.2 and 6.2.3: scheme
 * and host in any case, default ports and percent-encoding of unreserved characters make no difference.
 */
export function isSameUrl(given: unknown, expected: string): boolean {
  const normal = typeof given === 'string' ? normalizeUrl(given) : undefined
  return normal !== undefined && normal === normalizeUrl(expected)
}

/** Returns a URL without its query, in the form in which proofs are compared; `undefined` if it is not an HTTP URL. */
function normalizeUrl(text: string): string | undefined {
  const url = parseWebUrl(text)
  if (!url || url.username !== '' || url.password !== '') return undefined
  const path = url.pathname.replaceAll(/%[0-9A-Fa-f]{2}/g, code => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16))
    return /[A-Za-z0-9._~-]/.test(character) ? character : code.toUpperCase()
  })
  return `${url.origin}${path}`
}

/**
 * Returns the public key of a proof, without other members. Throws {@link InvalidProof}. A private key is
 * refused: it would be known to others.
 */
function parseKey(jwk: unknown): { kty: 'EC'; crv: 'P-256'; x: string; y: string } {
  const { crv, d, kty, x, y } = Object(jwk) as Record<string, unknown>
  if (d !== undefined) refuse('contains a private key')
  if (kty !== 'EC' || crv !== 'P-256' || !isCoordinate(x) || !isCoordinate(y))
    refuse('has no public key on the curve P-256 (jwk)')
  return { kty, crv, x, y }
}

function isCoordinate(text: unknown): text is string {
  return typeof text === 'string' && /^[A-Za-z0-9_-]{43}$/.test(text)
}

function isDigest(given: unknown, token: string): boolean {
  if (typeof given !== 'string') return false
  const [one, other] = [Buffer.from(given), Buffer.from(digestToken(token))]
  return one.length === other.length && timingSafeEqual(one, other)
}

function digestToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

function decodeOrRefuse<T>(work: () => T): T {
  try {
    return work()
  } catch {
    return refuse('is not a JSON Web Token')
  }
}

function refuse(fault: string): never {
  throw new InvalidProof(`The DPoP proof ${fault}`)
}
