/** Verifies what authenticators return. The library is loaded on first use: it takes some 20 MB. (docs/spec/passkeys.md#verification) */
import { generateKeyPairSync } from 'node:crypto'
import type { decodeCredentialPublicKey } from '@simplewebauthn/server/helpers'
import type { Assertion, Attestation } from '../../../schemas/passkey.js'
import type { PasskeyUse, StoredPasskey } from '../../../storage/sign-in/passkeys.js'
import type { ServiceCall } from '../../call/method.js'
import { isValidChallenge, requireRelyingParty, type Purpose } from './challenges.js'
import { algorithms } from './options.js'

/** A valid signature. */
export interface PasskeySignature extends PasskeyUse {
  readonly challenge: string
}

/** A new passkey, as it is stored. */
interface VerifiedAttestation
  extends PasskeySignature, Pick<StoredPasskey, 'credential' | 'key' | 'transports'> {}

/**
 * Verifies a signature: by this passkey, of a user verified by the authenticator, on one of the service's own
 * pages, for a challenge of this purpose. Otherwise returns `undefined`, after the same work whether or not
 * the passkey exists. The counter is left to {@link isClone}. Throws `unavailable-method` if passkeys are not
 * available.
 */
export async function verifySignature(
  call: ServiceCall,
  purpose: Purpose,
  assertion: Assertion,
  passkey: StoredPasskey | undefined
): Promise<PasskeySignature | undefined> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const { id, rawId, type, response } = assertion
  const { authenticatorData, clientDataJSON, signature } = response
  const { expected, seen } = createExpectation(call, purpose)
  try {
    const isFramed = await checkFramed(clientDataJSON)
    const { authenticationInfo, verified } = await verifyAuthenticationResponse({
      ...expected,
      response: {
        id,
        rawId,
        type,
        response: { authenticatorData, clientDataJSON, signature },
        clientExtensionResults: {}
      },
      // The library checks the counter before the signature, so that anyone could fake a clone.
      credential: { id, publicKey: new Uint8Array(passkey?.key ?? getDecoyKey()), counter: -1 }
    })
    if (!verified || !passkey || isFramed || seen.challenge === undefined) return undefined
    const { credentialBackedUp: isSynced, newCounter: counter } = authenticationInfo
    return { challenge: seen.challenge, counter, isSynced }
  } catch {
    // Even data that matches its schema may be malformed inside.
    return undefined
  }
}

/**
 * Returns whether a signature has a counter that was used before: the authenticator counts, and something else has
 * signed with the same key since.
 */
export function isClone(passkey: Pick<StoredPasskey, 'counter'>, { counter }: PasskeyUse): boolean {
  return (counter > 0 || passkey.counter > 0) && counter <= passkey.counter
}

/**
 * Verifies a new passkey, as {@link verifySignature} verifies a signature. Returns `undefined` if it is
 * invalid. The caller makes sure that the challenge is used once. Keys with which anyone can sign are
 * refused. Throws `unavailable-method` if passkeys are not available.
 */
export async function verifyAttestation(
  call: ServiceCall,
  purpose: Purpose,
  attestation: Attestation
): Promise<VerifiedAttestation | undefined> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const { decodeCredentialPublicKey } = await import('@simplewebauthn/server/helpers')
  const { id, rawId, type, response } = attestation
  const { expected, seen } = createExpectation(call, purpose)
  try {
    const { registrationInfo, verified } = await verifyRegistrationResponse({
      ...expected,
      response: {
        id,
        rawId,
        type,
        response: {
          clientDataJSON: response.clientDataJSON,
          attestationObject: await removeStatement(response.attestationObject)
        },
        clientExtensionResults: {}
      },
      supportedAlgorithmIDs: algorithms
    })
    const isOther = registrationInfo?.credential.id !== id || (await checkFramed(response.clientDataJSON))
    if (!verified || isOther || seen.challenge === undefined) return undefined
    const { credential, credentialBackedUp: isSynced } = registrationInfo
    if (isWeakKey(decodeCredentialPublicKey(credential.publicKey))) return undefined
    return {
      challenge: seen.challenge,
      credential: credential.id,
      key: credential.publicKey,
      counter: credential.counter,
      transports: response.transports ?? [],
      isSynced
    }
  } catch {
    return undefined
  }
}

interface Expectation {
  readonly expected: {
    readonly expectedChallenge: (challenge: string) => boolean
    readonly expectedOrigin: string
    readonly expectedRPID: string
    readonly requireUserVerification: true
  }
  /** The challenge, once it has been found valid. */
  readonly seen: { challenge?: string }
}

/**
 * Creates the values that the library compares a response with, and the object in which the valid challenge is
 * recorded.
 */
function createExpectation({ now, services }: ServiceCall, purpose: Purpose): Expectation {
  const { id, origin } = requireRelyingParty(services)
  const seen: { challenge?: string } = {}
  const expectedChallenge = (challenge: unknown): boolean => {
    if (typeof challenge !== 'string' || !isValidChallenge(services, purpose, challenge, now)) return false
    seen.challenge = challenge
    return true
  }
  return {
    expected: {
      expectedChallenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true
    },
    seen
  }
}

/**
 * Returns whether the page was in a frame of another page. The library refuses that only if the browser names
 * the other page, and not all browsers do; no page may frame the service's own pages. Throws for malformed
 * data.
 */
async function checkFramed(clientDataJSON: string): Promise<boolean> {
  const { decodeClientDataJSON } = await import('@simplewebauthn/server/helpers')
  return Boolean(decodeClientDataJSON(clientDataJSON).crossOrigin)
}

/**
 * Removes the statement of an attestation, as none is requested: no certificates are parsed, and nothing that
 * certificates name is fetched. Later signatures need only the key.
 */
async function removeStatement(attestationObject: string): Promise<string> {
  const { decodeAttestationObject, isoBase64URL, isoCBOR } = await import('@simplewebauthn/server/helpers')
  const authData = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject)).get('authData')
  const bare = new Map<string, unknown>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', authData]
  ])
  return isoBase64URL.fromBuffer(isoCBOR.encode(bare as Parameters<typeof isoCBOR.encode>[0]))
}

let decoy: Buffer | undefined

/**
 * Returns a key that no account has: if there is no passkey, a signature is checked with this key, so that both cases
 * take the same time.
 */
function getDecoyKey(): Buffer {
  if (decoy) return decoy
  const { x = '', y = '' } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({
    format: 'jwk'
  })
  // A COSE key: a map of its kind (2), its algorithm (ES256), its curve (P-256), and both coordinates.
  return (decoy = Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url')
  ]))
}

type CoseKey = ReturnType<typeof decodeCredentialPublicKey>

/** Labels of COSE: the kind of a key, and the coordinate of a key for EdDSA. (RFC 9053, 7.2) */
const [kindLabel, coordinateLabel] = [1, -2]
/** The kind of keys for EdDSA. */
const octetKeyPair = 1

/**
 * The points of Ed25519 whose order is at most 8, without the sign bit: a signature of zeros is valid for many
 * messages. RFC 8032 and OpenSSL accept them. (https://eprint.iacr.org/2020/1244, table 6.1)
 */
const smallPoints: ReadonlySet<string> = new Set([
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  ...['ec', 'ed', 'ee'].map(first => `${first}${'ff'.repeat(30)}7f`)
])

/**
 * Returns whether signatures can be made without the private key; authenticators create no such keys.
 * Malformed keys count as weak.
 */
function isWeakKey(key: CoseKey): boolean {
  // The library has a type for each kind only.
  const members = key as unknown as ReadonlyMap<number, unknown>
  if (members.get(kindLabel) !== octetKeyPair) return false
  const coordinate = members.get(coordinateLabel)
  if (!(coordinate instanceof Uint8Array) || coordinate.length !== 32) return true
  const point = Buffer.from(coordinate)
  point[31]! &= 0x7f
  return smallPoints.has(point.toString('hex'))
}
