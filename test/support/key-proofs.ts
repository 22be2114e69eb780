/** A client with a key: its proofs (RFC 9449), its assertions (RFC 7523), and requests that carry them. */
import { createHash, randomUUID } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose'
import type { Answer, Service } from './coffer.js'

/** A key of a client. */
export interface Holder {
  readonly key: CryptoKey
  readonly jwk: JWK
  readonly thumbprint: string
}

/** What a proof says, instead of the right things; `undefined` leaves a member out. */
export interface Deviation {
  readonly header?: Record<string, unknown>
  readonly claims?: Record<string, unknown>
  /** The key that signs. */
  readonly signer?: CryptoKey | Uint8Array
}

export async function createHolder(): Promise<Holder> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = await exportJWK(publicKey)
  return { key: privateKey, jwk, thumbprint: await calculateJwkThumbprint(jwk) }
}

/** A request to prove; with `token` also for which token. */
export interface Proven {
  readonly verb: string
  readonly url: string
  readonly now: number
  readonly token?: string | undefined
}

export async function makeProof(
  { jwk, key }: Holder,
  { now, token, url, verb }: Proven,
  { claims = {}, header = {}, signer = key }: Deviation = {}
): Promise<string> {
  const ath = token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') }
  const body = { jti: randomUUID(), htm: verb, htu: url, iat: Math.floor(now), ...ath, ...claims }
  return await new SignJWT(body)
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk, ...header })
    .sign(signer)
}

/** Makes a request with a bound token, and a proof of it. */
export async function callBound(
  service: Pick<Service, 'clock' | 'http'> & { readonly server: { readonly url: string } },
  holder: Holder,
  token: string,
  [verb, path, body]: readonly [verb: string, path: string, body?: unknown],
  deviation?: Deviation
): Promise<{ status: number; headers: Headers; body: Answer }> {
  const url = `${service.server.url}${path.split('?')[0]}`
  const proof = await makeProof(holder, { verb, url, now: service.clock.now(), token }, deviation)
  return await service.http(verb, path, body, { authorization: `DPoP ${token}`, dpop: proof })
}

/** Makes an assertion of a client. */
export async function makeAssertion(
  { key }: Holder,
  { audience, client, kid, now }: { audience: string; client: string; kid: string; now: number },
  { claims = {}, header = {}, signer = key }: Deviation = {}
): Promise<string> {
  const seconds = Math.floor(now)
  const body = {
    iss: client,
    sub: client,
    aud: audience,
    jti: randomUUID(),
    iat: seconds,
    exp: seconds + 60,
    ...claims
  }
  return await new SignJWT(body).setProtectedHeader({ alg: 'ES256', kid, ...header }).sign(signer)
}

/** Returns a service that its clients know by another URL, as behind a proxy. */
export function seenAt(service: Service, url: string): Service {
  const http: Service['http'] = (...all) => service.http(...all)
  const call: Service['call'] = (...all) => service.call(...all)
  return Object.assign(Object.create(service) as Service, { call, http, server: { url } })
}
