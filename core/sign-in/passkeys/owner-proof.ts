/**
 * Proof of identity, before a passkey is added: with a stolen session alone, an attacker must not be able to add a
 * sign-in method that outlives it. (docs/spec/passkeys.md#adding-a-passkey)
 */
import type { Assertion } from '../../../schemas/passkey.js'
import { fail } from '../../errors.js'
import type { Call } from '../../call/method.js'
import { digestToken } from '../../auth/token-digest.js'
import { isRecentSignIn } from '../../auth/recent-sign-in.js'
import { verifyPassword } from '../passwords.js'
import { countSignInMethods } from '../sign-in-methods.js'
import type { Purpose } from './challenges.js'
import { verifyPasskeySignature, recordPasskeyUse, type VerifiedSignature } from './signature.js'

/** The proof that a caller gives. */
interface OwnerProof {
  readonly password?: string | null | undefined
  readonly credential?: Assertion | null | undefined
}

/**
 * Returns the purpose of a challenge of a signed-in caller: for this account and session, as long as its token stays
 * the same.
 */
export function createPurpose({ account, caller }: Call, act: Purpose['act']): Purpose {
  const { access } = caller
  return { act, context: access ? [account.id, access.id, digestToken(access)] : [account.id] }
}

/**
 * Verifies the password or the signature of a passkey. Users who have neither need a recent sign-in. Errors:
 * `invalid-operation` for a wrong password, and without any proof; `invalid-credentials` for a wrong
 * signature; `too-many-requests`. Must be called before a transaction; returns what the transaction has to
 * record of a signature, `undefined` for a password.
 */
export async function verifyOwner(call: Call, given: OwnerProof): Promise<VerifiedSignature | undefined> {
  const { account, services, credentials, store } = call
  if (given.credential)
    return await verifyPasskeySignature(call, createPurpose(call, 'prove'), given.credential)
  const { passkeys, password } = countSignInMethods(services.config, store)
  const hasPassword = password > 0
  if (typeof given.password === 'string' && hasPassword) {
    const hash = store.account.password()?.hash
    const attempt = { username: account.username, password: given.password, hash }
    if (await verifyPassword(services, credentials, attempt)) return undefined
    return fail('invalid-operation', 'The password is incorrect', {
      param: 'password',
      code: 'password-wrong'
    })
  }
  if (!hasPassword && passkeys === 0 && isRecentSignIn(call)) return undefined
  return fail('invalid-operation', formatMissingProof(hasPassword, passkeys), { code: 'proof-missing' })
}

/**
 * Accepts a recent sign-in if nothing else is given, and records the use of a passkey: for calls outside a transaction.
 * Errors as for {@link verifyOwner}.
 */
export async function requireOwner(call: Call, given: OwnerProof): Promise<void> {
  const isGiven = typeof given.password === 'string' || Boolean(given.credential)
  if (!isGiven && isRecentSignIn(call)) return
  const proven = await verifyOwner(call, given)
  if (!proven) return
  const store = call.services.accounts.openStore(call.account)
  await store.write(() => recordPasskeyUse({ ...call, store }, proven))
}

function formatMissingProof(hasPassword: boolean, passkeys: number): string {
  const ways = [hasPassword && 'the password', passkeys > 0 && 'a passkey'].filter(Boolean).join(' or ')
  return ways === '' ? 'Sign in again first' : `Confirm your identity first with ${ways}`
}
