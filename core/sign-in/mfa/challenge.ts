/** Sends codes to users who prove their second factor by one. (docs/spec/mfa.md#methods) */
import { fail } from '../../errors.js'
import { takeAttempt } from './attempts.js'
import { digestOf } from './factor.js'
import type { Services } from '../../call/services.js'
import type { Candidate } from '../../outgoing/messaging.js'
import type { Account } from '../../../storage/platform/account.js'

/** A code that was sent: one of a user at a time. */
export interface SentCode {
  readonly digest: string
  /** Seconds. */
  readonly expires: number
  /** Wrong codes given in its place. */
  readonly failures: number
}

/**
 * Sends a code, unless an app of the user's makes them; answers what to tell the user. Errors: `too-many-requests`,
 * `messaging-server-error`, `api-unavailable` where messages are not sent any more. Only before a transaction.
 */
export async function sendChallenge(core: Services, account: Account, candidate: Candidate): Promise<string> {
  if (candidate.method === 'totp') return 'Please give the code that your authenticator app shows'
  const { accounts, clock, config, messaging } = core
  if (messaging.mode === 'disabled')
    fail('api-unavailable', 'Messages with codes are not sent here at the moment')
  const store = accounts.store(account)
  await store.write(() => takeAttempt(config, store, 'mfa-messages', clock.now()))
  const code = await messaging.challenge(candidate)
  if (code !== undefined) await keepCode(core, account, candidate, code)
  return 'Please give the code that was sent to you'
}

/** The digest of a code together with what it was sent to: it proves nothing else. */
export function sentDigest({ content }: Candidate, code: string): string {
  return digestOf(JSON.stringify([content, code]))
}

async function keepCode(
  { accounts, clock, config }: Services,
  account: Account,
  candidate: Candidate,
  code: string
): Promise<void> {
  const store = accounts.store(account)
  const expires = clock.now() + config.services.mfa.sessions.ttlSeconds
  const sent: SentCode = { digest: sentDigest(candidate, code), expires, failures: 0 }
  await store.write(() => store.signIn.setState('mfa-code', sent))
}
