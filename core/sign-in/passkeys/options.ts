/** Options for browsers: to create a passkey, or to sign with one. (docs/spec/passkeys.md) */
import type { CreationOptions, RequestOptions } from '../../../schemas/passkey.js'
import type { StoredPasskey } from '../../../storage/sign-in/passkeys.js'
import type { Call } from '../../call/method.js'
import type { Services } from '../../call/services.js'
import { challengeLifetime, createChallenge, requireRelyingParty, type Purpose } from './challenges.js'

/** COSE numbers of the algorithms that signatures may have, the first algorithms preferred: EdDSA, ES256, RS256. */
export const algorithms = [-8, -7, -257]

/** Returns the user handle of an account, which its passkeys return: its id, which reveals nothing about the user. */
export function toUserHandle(accountId: string): string {
  return Buffer.from(accountId).toString('base64url')
}

/** Does the inverse of {@link toUserHandle}: any input gives a short text, which need not be an id. */
export function parseUserHandle(handle: string): string {
  return Buffer.from(handle.slice(0, 100), 'base64url').toString()
}

/**
 * Returns options that request a signature; by any passkey of the service unless passkeys are given. Throws
 * `unavailable-method` if passkeys are not available.
 */
export function createRequestOptions(
  services: Services,
  purpose: Purpose,
  now: number,
  passkeys: readonly StoredPasskey[] = []
): RequestOptions {
  return {
    challenge: createChallenge(services, purpose, now),
    rpId: requireRelyingParty(services).id,
    timeout: challengeLifetime * 1000,
    userVerification: 'required',
    allowCredentials: passkeys.map(toDescriptor)
  }
}

/**
 * Returns options that request a new passkey, on an authenticator that has no passkey of the account yet.
 * Throws `unavailable-method` if passkeys are not available.
 */
export function createCreationOptions(
  { account, services, now, store }: Call,
  purpose: Purpose
): CreationOptions {
  const { username } = account
  return {
    challenge: createChallenge(services, purpose, now),
    rp: { id: requireRelyingParty(services).id, name: services.config.service.name },
    user: { id: toUserHandle(account.id), name: username, displayName: username },
    pubKeyCredParams: algorithms.map(alg => ({ type: 'public-key', alg })),
    timeout: challengeLifetime * 1000,
    attestation: 'none',
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required'
    },
    excludeCredentials: store.passkeys.list().map(toDescriptor)
  }
}

function toDescriptor({ credential, transports }: StoredPasskey): RequestOptions['allowCredentials'][number] {
  return { id: credential, type: 'public-key', transports: [...transports] }
}
