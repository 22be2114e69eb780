/** Verifies what authenticators return. The library is loaded on first use: it takes some 20 MB. (docs/spec/passkeys.md#verification) */
import { generateKeyPairSync } from 'node:crypto'
import type { Assertion, Attestation } from '../../../schemas/passkey.js'
import type { PasskeyUse, StoredPasskey } from '../../../storage/sign-in/passkeys.js'
import type { ServiceCall } from '../../call/method.js'
import { isValidChallenge, requireRelyingParty, type Purpose } from './challenges.js'
import { algorithms } from './options.js'
import { isWeakKey } from './weak-keys.js'

/** A signature that is right. */
export interface PasskeySignature extends PasskeyUse {
  readonly challenge: string
}

/** A new passkey, in the form in which it is kept. */
export interface VerifiedAttestation
  extends PasskeySignature, Pick<StoredPasskey, 'credential' | 'key' | 'transports'> {}

/**
 * Returns what a signature tells if it is right: by this passkey, of a person whom the authenticator has verified, on one of
 * our own pages, for a challenge of this purpose. Otherwise `undefined`, after the same work whether there is a passkey or not.
 * The counter is left to {@link isClone}.
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
      // The library looks at the counter before the signature, so that anybody could pretend a clone.
      credential: { id, publicKey: new Uint8Array(passkey?.key ?? getDecoyKey()), counter: -1 }
    })
    if (!verified || !passkey || isFramed || seen.challenge === undefined) return undefined
    const { credentialBackedUp: isSynced, newCounter: counter } = authenticationInfo
    return { challenge: seen.challenge, counter, isSynced }
  } catch {
    // Whatever is wrong with it: what has a schema may still be malformed inside.
    return undefined
  }
}

/**
 * Whether a signature has a number that was used before: the authenticator counts, and something else has signed with the same
 * key since.
 */
export function isClone(passkey: Pick<StoredPasskey, 'counter'>, { counter }: PasskeyUse): boolean {
  return (counter > 0 || passkey.counter > 0) && counter <= passkey.counter
}

/** Returns a new passkey if it is right, as {@link verifySignature}; otherwise `undefined`. */
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
  /** The challenge, once it was found to be right. */
  readonly seen: { challenge?: string }
}

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
 * Whether the page was in a frame of another one. The library refuses that only if the browser tells of which one, and not all
 * of them do; no page may frame ours.
 */
async function checkFramed(clientDataJSON: string): Promise<boolean> {
  const { decodeClientDataJSON } = await import('@simplewebauthn/server/helpers')
  return Boolean(decodeClientDataJSON(clientDataJSON).crossOrigin)
}

/**
 * Returns an attestation without its statement, of which none is asked for: nobody's certificates are parsed, and nothing that
 * they name is fetched. What signs later is the key alone.
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

/** A key of nobody: a signature is checked with it where there is no passkey, so that both take the same time. */
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
