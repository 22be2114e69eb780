/** Verifies a second factor by a code that is valid once, with limited attempts. (docs/spec/mfa.md#errors) */
import type { KeyValue } from '../../../schemas/scalars.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import { fail } from '../../errors.js'
import type { Call } from '../../call/method.js'
import { resetAttempts, countAttempt } from './attempts.js'
import { digestSentCode, type SentCode } from './challenge.js'
import { getFactor, setFactor } from './factor.js'
import { loadTotpChecker, type StepChecker } from './totp.js'
import type { Candidate } from '../../outgoing/messaging.js'

/** The result of a verification: for TOTP the time step of its code. */
interface FactorProof {
  readonly step?: number
}

/** Number of wrong attempts after which a code that was sent becomes invalid. */
const maxCodeFailures = 5

/**
 * Verifies a factor by a code, which is then used up. Throws `invalid-code` for a wrong code,
 * `messaging-server-error` if the messaging service fails or refuses it, `api-unavailable` if messages are no
 * longer sent, `too-many-requests` after too many attempts. Must be called before a transaction: attempts
 * count even if the call fails.
 */
export async function verifyFactor(call: Call, candidate: Candidate, given: KeyValue): Promise<FactorProof> {
  const { account, services, credentials } = call
  const guess = { subject: `mfa:${account.username}`, ip: credentials.ip }
  services.throttle.check(guess)
  try {
    const proof = await verify(call, candidate, given)
    services.throttle.succeeded(guess)
    return proof
  } catch (error) {
    services.throttle.failed(guess)
    throw error
  }
}

/** Verifies a code of a factor: here, or by the messaging service. Counts the attempt. Throws if the code is wrong. */
async function verify(call: Call, candidate: Candidate, given: KeyValue): Promise<FactorProof> {
  const { account, services, now } = call
  const { accounts, config, messaging } = services
  if (candidate.method === 'totp') {
    const checkStep = await loadTotpChecker()
    return await runCounted(call, store => verifyStep(store, checkStep, candidate, parseCode(given), now))
  }
  if (messaging.mode === 'single')
    return await runCounted(call, store => verifySentCode(store, candidate, parseCode(given), now))
  if (messaging.mode === 'disabled') fail('api-unavailable', 'Checking codes is not available at the moment')
  const before = accounts.openStore(account)
  await before.write(() => countAttempt(config, before, 'mfa-failures', now))
  await messaging.verify(candidate, given)
  const after = accounts.openStore(account)
  await after.write(() => resetAttempts(after, 'mfa-failures'))
  return {}
}

/** Checks a code in the transaction that counts the attempt and marks the code as used. */
async function runCounted(
  { account, services, now }: Call,
  check: (store: UserStore) => FactorProof | undefined
): Promise<FactorProof> {
  const store = services.accounts.openStore(account)
  const proof = await store.write(() => {
    countAttempt(services.config, store, 'mfa-failures', now)
    const found = check(store)
    if (found) resetAttempts(store, 'mfa-failures')
    return found
  })
  return proof ?? fail('invalid-code')
}

/**
 * Checks a code of an authenticator app, and stores that it is used. Returns `undefined` if it is wrong, or
 * was used before.
 */
function verifyStep(
  store: UserStore,
  checkStep: StepChecker,
  { secret = '' }: Candidate,
  code: string,
  now: number
): FactorProof | undefined {
  const factor = getFactor(store)
  // A factor that is not in force yet has no used step.
  const isInForce = factor?.secret === secret
  const step = checkStep(secret, code, now, isInForce ? (factor.lastStep ?? 0) : 0)
  if (step === undefined) return undefined
  if (isInForce) setFactor(store, { ...factor, lastStep: step })
  return { step }
}

/**
 * Checks a code that was sent to the user, which is discarded if it is right, or after too many wrong ones.
 * Returns `undefined` if it is wrong or has expired.
 */
function verifySentCode(
  store: UserStore,
  candidate: Candidate,
  code: string,
  now: number
): FactorProof | undefined {
  const sent = store.signIn.getState('mfa-code') as SentCode | undefined
  if (!sent || sent.expires <= now) return undefined
  const isRight = sent.digest === digestSentCode(candidate, code)
  const failures = sent.failures + 1
  if (isRight || failures >= maxCodeFailures) store.signIn.removeState('mfa-code')
  else store.signIn.setState('mfa-code', { ...sent, failures })
  return isRight ? {} : undefined
}

/** Returns the code without white space; empty if there is none. */
function parseCode(given: KeyValue): string {
  const code = Object.hasOwn(given, 'code') ? given['code'] : undefined
  return typeof code === 'string' || typeof code === 'number' ? String(code).replaceAll(/\s/g, '') : ''
}
