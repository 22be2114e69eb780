/** Retrieves a secret, once. (docs/spec/shared-secrets.md#retrieving) */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { SharedSecret } from '../../storage/shared-secrets/shared-secret-repository.js'
import type { Account } from '../../storage/platform/account.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Call, ServiceCall } from '../call/method.js'
import { writeSeparately } from '../call/write-separately.js'
import { fail } from '../errors.js'
import { matchesHash, openValue, parseKey, type SecretKey } from './sealing.js'
import { getSecretsStreamId } from '../system-ids.js'
import {
  discardReasons,
  finishSecret,
  getStatus,
  toCurrent,
  toSecretEvent,
  type DiscardReason
} from './state.js'

/** The proof that a receiver gives. */
interface Proof {
  readonly type: 'secret' | 'hmac-sha256'
  readonly payload: string
}

interface RetrievalParams {
  readonly key?: unknown
  readonly signature?: Proof | null | undefined
}

/** Counts an attempt at a user's secrets, whether or not the user exists. Error: `too-many-requests`. */
export function countAttempt({ credentials, services }: ServiceCall, username: string): void {
  services.throttle.retrieveSecret(username, credentials.ip)
}

/**
 * Returns the secret of a key. Any other key gets the same error, `unknown-resource`, and takes about as long: a malformed
 * or unknown key, a key whose random half is wrong, and under an alias a key of an access that does not have the alias.
 */
export function requireSecret(
  { account, store }: Pick<Call, 'account' | 'store'>,
  key: SecretKey
): SharedSecret {
  const found = store.sharedSecrets.find(key.id)
  const secret = found && isOfAlias(store, account, found) ? found : undefined
  return matchesHash(key.random, secret?.keyHash) ? secret! : refuseUnknownKey()
}

/**
 * Returns whether a call may retrieve a secret under the name of the account that it uses: an alias gives only the secrets
 * of its access.
 */
function isOfAlias(store: UserStore, { alias }: Account, { access }: SharedSecret): boolean {
  return alias === undefined || store.accesses.find(access)?.alias === alias
}

/** Refuses a key of an account that does not exist, with the error for an unknown secret: `unknown-resource`. */
export function refuseForUnknownUser(key: unknown): never {
  matchesHash(parseKey(key).random, undefined)
  return refuseUnknownKey()
}

function refuseUnknownKey(): never {
  fail('unknown-resource', 'Unknown key')
}

/**
 * Discards a secret for which a wrong proof is given, and one that has expired, in a transaction that stays although the
 * call is refused. Errors: `unknown-resource`, and `forbidden` unless the secret can be consumed.
 */
export async function discardIfWrong(call: Call, params: RetrievalParams): Promise<void> {
  const key = parseKey(params.key)
  const secret = requireSecret(call, key)
  const reason = findProblem(call, secret, key, params)
  if (reason === undefined) return
  if (reason !== 'unavailable')
    await writeSeparately(call, (store, inCall) => {
      const current = store.sharedSecrets.find(secret.id)
      // Another call may have come first.
      if (current && getStatus(current) === 'pending') discardSecret(inCall, current, reason)
    })
  refuseUnavailable(secret)
}

/**
 * Consumes a secret, whose stored value is erased, and returns its value. Must run within a transaction.
 * Errors as for {@link discardIfWrong}.
 */
export function consumeSecret(call: Call, params: RetrievalParams): unknown {
  const { store } = call
  const key = parseKey(params.key)
  const secret = requireSecret(call, key)
  if (findProblem(call, secret, key, params) !== undefined) refuseUnavailable(secret)
  const text = store.sharedSecrets.findValue(secret.id) ?? refuseUnavailable(secret)
  finishSecret(call, secret, { status: 'consumed' })
  return openValue(key, text).secret
}

/**
 * Discards a secret that is pending, and removes any other, as `events.delete` does. Returns the event or its
 * deletion. Must run within a transaction.
 */
export function deleteSecret(call: Call, stored: SharedSecret): object {
  const { changes, now, store } = call
  const secret = toCurrent(stored, now)
  if (getStatus(secret) === 'pending')
    return { event: toSecretEvent(discardSecret(call, secret, 'deleted'), now) }
  changes.addEvent(toSecretEvent(secret, now))
  store.sharedSecrets.remove(secret.id)
  if (!store.sharedSecrets.has(secret.access)) changes.add('streams', [getSecretsStreamId(secret.access)])
  return { eventDeletion: { id: secret.id } }
}

/** Discards a pending secret, and erases its value. Must run within a transaction. */
function discardSecret(call: Call, secret: SharedSecret, reason: DiscardReason): SharedSecret {
  return finishSecret(call, secret, { status: 'discarded', info: discardReasons[reason] })
}

/**
 * Returns why a secret cannot be consumed: `expired` or `mismatch`, with which it has to be discarded, or
 * `unavailable` if it stays as it is, as without a proof; `undefined` if it can be.
 */
function findProblem(
  { now, store }: Call,
  secret: SharedSecret,
  key: SecretKey,
  { signature }: RetrievalParams
): Exclude<DiscardReason, 'deleted'> | 'unavailable' | undefined {
  if (getStatus(secret) !== 'pending') return 'unavailable'
  if (getStatus(toCurrent(secret, now)) !== 'pending') return 'expired'
  const { signatureType } = secret
  if (signatureType === undefined) return undefined
  if (!signature) return 'unavailable'
  const text = store.sharedSecrets.findValue(secret.id)
  if (text === undefined) return 'unavailable'
  const { signature: value = '' } = openValue(key, text)
  const expected =
    signatureType === 'secret' ? value : createHmac('sha256', value).update(key.random).digest('hex')
  return signature.type === signatureType && isEqual(signature.payload, expected) ? undefined : 'mismatch'
}

/** Compares texts in time that depends on their lengths only. */
function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function refuseUnavailable({ onConsumed: { message, returnUrl } }: SharedSecret): never {
  fail('forbidden', message, {
    id: 'shared-secret-unavailable',
    ...(returnUrl !== undefined && { returnUrl })
  })
}
