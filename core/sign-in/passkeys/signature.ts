/** Signatures of an account's passkeys: verified with the limits of wrong passwords, and recorded. (docs/spec/passkeys.md#verification) */
import type { Assertion } from '../../../schemas/passkey.js'
import type { StoredPasskey } from '../../../storage/sign-in/passkeys.js'
import { fail } from '../../errors.js'
import type { Call, ServiceCall } from '../../call/method.js'
import type { Guess } from '../../security/throttle.js'
import { tell } from '../notices/notices.js'
import { isTaken, takeChallenge, type Purpose } from './challenges.js'
import { handleOf } from './options.js'
import { isClone, verifySignature, type Signed } from './verify.js'

/** A right signature, and the passkey that made it. */
export interface Proven {
  readonly id: string
  readonly signed: Signed
}

/**
 * Returns which passkey of the account has signed. Throws `invalid-credentials` for a wrong signature, a passkey that is not
 * this account's, and one that has been copied; `too-many-requests` after too many. Must be called before a transaction, which
 * calls {@link recordUse}.
 */
export async function verifyPasskeySignature(
  call: Call,
  purpose: Purpose,
  assertion: Assertion
): Promise<Proven> {
  const { account, services } = call
  const guess = guessOf(call, account.username)
  services.throttle.check(guess)
  const passkey = passkeyOf(call, assertion)
  const signed = await verifySignature(call, purpose, assertion, passkey)
  // The same signature once more, such as by a client that got no answer, tells of no copy.
  if (!passkey || !signed || isTaken(services.accounts.store(account), signed.challenge, call.now))
    return refuse(call, guess)
  if (isClone(passkey, signed)) {
    await tellOfClone(call, passkey)
    return refuse(call, guess)
  }
  return { id: passkey.id, signed }
}

/**
 * Uses up the challenge, and notes the use of the passkey. Throws `invalid-credentials` if the passkey has gone meanwhile, or
 * the signature was used before. Must run within a write.
 */
export function recordUse(call: Call, { id, signed }: Proven): void {
  const { account, now, services, store } = call
  const guess = guessOf(call, account.username)
  const passkey = store.passkeys.find(id)
  if (!passkey || isClone(passkey, signed) || !takeChallenge(store, signed.challenge, now))
    return refuse(call, guess)
  store.passkeys.use(id, signed, now)
  services.throttle.succeeded(guess)
}

/** The same work and the same error for an account that does not exist. */
export async function refuseStranger(
  call: ServiceCall,
  purpose: Purpose,
  assertion: Assertion
): Promise<never> {
  const guess = guessOf(call, assertion.response.userHandle ?? '')
  call.services.throttle.check(guess)
  await verifySignature(call, purpose, assertion, undefined)
  return refuse(call, guess)
}

/** The passkey that is said to have signed, if it is this account's, and says so itself where it names an account. */
function passkeyOf({ account, store }: Call, { id, response }: Assertion): StoredPasskey | undefined {
  const { userHandle } = response
  if (typeof userHandle === 'string' && userHandle !== handleOf(account.id)) return undefined
  return store.passkeys.findCredential(id)
}

/** In a write of its own: the call is refused. */
async function tellOfClone(call: Call, { name }: StoredPasskey): Promise<void> {
  const store = call.services.accounts.store(call.account)
  await store.write(() => tell({ ...call, store }, { kind: 'passkeyCopied', passkey: name }))
}

function guessOf({ credentials }: ServiceCall, name: string): Guess {
  return { subject: `passkey:${name}`, ip: credentials.ip }
}

function refuse({ services }: ServiceCall, guess: Guess): never {
  services.throttle.failed(guess)
  return fail('invalid-credentials', 'The passkey is not known here, or its signature is not valid', {
    code: 'passkey-refused'
  })
}
