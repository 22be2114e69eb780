/** Sends codes to users whose second factor is a message with a code. (docs/spec/mfa.md#methods) */
import { fail } from '../../errors.js'
import { countAttempt } from './attempts.js'
import { digestCode } from './factor.js'
import type { Services } from '../../call/services.js'
import type { Candidate } from '../../outgoing/messaging.js'
import type { Account } from '../../../storage/platform/account.js'

/** A code that was sent; a user has one such code at a time. */
export interface SentCode {
  readonly digest: string
  /** Seconds. */
  readonly expires: number
  /** Number of wrong attempts at the code. */
  readonly failures: number
}

/**
 * Sends a code and counts it, unless the factor is an authenticator app, which makes its own codes. A former
 * code is no longer valid. Returns the message for the user. Errors: `too-many-requests`,
 * `messaging-server-error`, `api-unavailable` if messages are no longer sent. Must be called before a
 * transaction.
 */
export async function sendChallenge(
  services: Services,
  account: Account,
  candidate: Candidate
): Promise<string> {
  if (candidate.method === 'totp') return 'Enter the code from your authenticator app'
  const { accounts, clock, config, messaging } = services
  if (messaging.mode === 'disabled') fail('api-unavailable', 'Sending codes is not available at the moment')
  const store = accounts.openStore(account)
  await store.write(() => countAttempt(config, store, 'mfa-messages', clock.now()))
  const code = await messaging.challenge(candidate)
  if (code !== undefined) await storeCode(services, account, candidate, code)
  return 'Enter the code that was sent to you'
}

/** Returns the digest of a code together with its recipient, so that the code is valid for no other recipient. */
export function digestSentCode({ content }: Candidate, code: string): string {
  return digestCode(JSON.stringify([content, code]))
}

async function storeCode(
  { accounts, clock, config }: Services,
  account: Account,
  candidate: Candidate,
  code: string
): Promise<void> {
  const store = accounts.openStore(account)
  const expires = clock.now() + config.services.mfa.sessions.ttlSeconds
  const sent: SentCode = { digest: digestSentCode(candidate, code), expires, failures: 0 }
  await store.write(() => store.signIn.setState('mfa-code', sent))
}
