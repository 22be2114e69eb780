/**
 * Signatures of an account's passkeys: verified with the limits of wrong passwords, and recorded.
 * (docs/spec/passkeys.md#verification)
 */
import type { Assertion } from '../../../schemas/passkey.js'
import type { StoredPasskey } from '../../../storage/sign-in/passkeys.js'
import { fail } from '../../errors.js'
import type { Call, ServiceCall } from '../../call/method.js'
import type { Guess } from '../../security/throttle.js'
import { notifyUser } from '../notices/notices.js'
import { isUsedChallenge, useChallenge, type Purpose } from './challenges.js'
import { toUserHandle } from './options.js'
import { isClone, verifySignature, type PasskeySignature } from './verify.js'

/** A valid signature, and the passkey that made it. */
export interface VerifiedSignature {
  readonly id: string
  readonly signed: PasskeySignature
}

/**
 * Returns which passkey of the account has signed. Throws `invalid-credentials` for a wrong signature, one
 * that was used before, a passkey of another account, and a passkey that has been copied, of which the user is
 * notified; `too-many-requests` after too many; `unavailable-method` if passkeys are not available. Must be
 * called outside of a transaction. The caller then calls {@link recordPasskeyUse} within one.
 */
export async function verifyPasskeySignature(
  call: Call,
  purpose: Purpose,
  assertion: Assertion
): Promise<VerifiedSignature> {
  const { account, services } = call
  const guess = toGuess(call, account.username)
  services.throttle.check(guess)
  const passkey = findSigningPasskey(call, assertion)
  const signed = await verifySignature(call, purpose, assertion, passkey)
  // The same signature again, such as from a client that got no response, does not indicate a copy.
  if (
    !passkey ||
    !signed ||
    isUsedChallenge(services.accounts.openStore(account), signed.challenge, call.now)
  )
    return refuseSignature(call, guess)
  if (isClone(passkey, signed)) {
    await notifyOfClone(call, passkey)
    return refuseSignature(call, guess)
  }
  return { id: passkey.id, signed }
}

/**
 * Marks the challenge as used, and records the use of the passkey. Throws `invalid-credentials` if the passkey was
 * deleted in the meantime, or the signature was used before. Must run within a transaction.
 */
export function recordPasskeyUse(call: Call, { id, signed }: VerifiedSignature): void {
  const { account, now, services, store } = call
  const guess = toGuess(call, account.username)
  const passkey = store.passkeys.find(id)
  if (!passkey || isClone(passkey, signed) || !useChallenge(store, signed.challenge, now))
    return refuseSignature(call, guess)
  store.passkeys.use(id, signed, now)
  services.throttle.succeeded(guess)
}

/** Does the same work and throws the same error for an account that does not exist. */
export async function refuseUnknownAccount(
  call: ServiceCall,
  purpose: Purpose,
  assertion: Assertion
): Promise<never> {
  const guess = toGuess(call, assertion.response.userHandle ?? '')
  call.services.throttle.check(guess)
  await verifySignature(call, purpose, assertion, undefined)
  return refuseSignature(call, guess)
}

/** Returns the passkey named in the assertion, if it belongs to this account, and the assertion names this account. */
function findSigningPasskey(
  { account, store }: Call,
  { id, response }: Assertion
): StoredPasskey | undefined {
  const { userHandle } = response
  if (typeof userHandle === 'string' && userHandle !== toUserHandle(account.id)) return undefined
  return store.passkeys.findCredential(id)
}

/** Notifies the user in a separate write: the call is refused. */
async function notifyOfClone(call: Call, { name }: StoredPasskey): Promise<void> {
  const store = call.services.accounts.openStore(call.account)
  await store.write(() => notifyUser({ ...call, store }, { kind: 'passkeyCopied', passkey: name }))
}

function toGuess({ credentials }: ServiceCall, name: string): Guess {
  return { subject: `passkey:${name}`, ip: credentials.ip }
}

function refuseSignature({ services }: ServiceCall, guess: Guess): never {
  services.throttle.failed(guess)
  return fail('invalid-credentials', 'The passkey is unknown or its signature is invalid', {
    code: 'passkey-refused'
  })
}
