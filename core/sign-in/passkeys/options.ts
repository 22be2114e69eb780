/** What browsers are asked: to make a passkey, or to sign with one. (docs/spec/passkeys.md) */
import type { CreationOptions, RequestOptions } from '../../../schemas/passkey.js'
import type { StoredPasskey } from '../../../storage/sign-in/passkeys.js'
import type { Call } from '../../call/method.js'
import type { Services } from '../../call/services.js'
import { challengeLife, newChallenge, partyOf, type Purpose } from './challenges.js'

/** COSE numbers of the algorithms that signatures may have, the first ones preferred: EdDSA, ES256, RS256. */
export const algorithms = [-8, -7, -257]

/** The user handle of an account, which its passkeys return: its id, which tells nothing about the person. */
export function handleOf(accountId: string): string {
  return Buffer.from(accountId).toString('base64url')
}

/** The inverse of {@link handleOf}: whatever comes in gives a short text, which need not be an id. */
export function accountIdIn(handle: string): string {
  return Buffer.from(handle.slice(0, 100), 'base64url').toString()
}

/** Returns what asks for a signature; by any passkey of the service unless some are given. */
export function requestOptions(
  services: Services,
  purpose: Purpose,
  now: number,
  passkeys: readonly StoredPasskey[] = []
): RequestOptions {
  return {
    challenge: newChallenge(services, purpose, now),
    rpId: partyOf(services).id,
    timeout: challengeLife * 1000,
    userVerification: 'required',
    allowCredentials: passkeys.map(descriptorOf)
  }
}

/** Returns what asks for a new passkey, on an authenticator that has none of the account yet. */
export function creationOptions({ account, services, now, store }: Call, purpose: Purpose): CreationOptions {
  const { username } = account
  return {
    challenge: newChallenge(services, purpose, now),
    rp: { id: partyOf(services).id, name: services.config.service.name },
    user: { id: handleOf(account.id), name: username, displayName: username },
    pubKeyCredParams: algorithms.map(alg => ({ type: 'public-key', alg })),
    timeout: challengeLife * 1000,
    attestation: 'none',
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required'
    },
    excludeCredentials: store.passkeys.list().map(descriptorOf)
  }
}

function descriptorOf({ credential, transports }: StoredPasskey): RequestOptions['allowCredentials'][number] {
  return { id: credential, type: 'public-key', transports: [...transports] }
}
