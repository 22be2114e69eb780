/** What contacts come to, and when the next is due. (docs/api/mirrors.md#how-it-is-kept-up-to-date) */
import type { MirrorError } from '../../schemas/mirrors/mirror.js'
import { ApiError } from '../errors.js'
import { PageTooLong, PeerFailed } from './peer-answers.js'

/** Seconds between two contacts, and how much they vary. */
export const pollSeconds = 600
const jitterSeconds = 60
/** Seconds until the next attempt, by the number of failures. */
const delays = [30, 120, 600, 1800, 3600, 7200]
/** Seconds until the next attempt if the account is full. */
const fullDelay = 6 * 3600

/** What a contact has come to. */
export type Outcome =
  | { readonly isComplete: boolean }
  | { readonly error: MirrorError; readonly retryAfter: number; readonly isPermissionEnded?: true }

/** Returns the outcome of a contact that has failed. */
export function toFailedOutcome(error: MirrorError, retryAfter = 0): Outcome {
  return { error, retryAfter }
}

/**
 * Returns why a contact has failed; `undefined` for a fault of this service. Refusals by this service count as
 * `over-quota`, or as `too-large`.
 */
export function toFailure(error: unknown): Outcome | undefined {
  if (error instanceof PeerFailed) return toFailedOutcome(error.reason, error.retryAfter)
  if (error instanceof PageTooLong) return toFailedOutcome({ id: 'too-large' })
  if (!(error instanceof ApiError)) return undefined
  return toFailedOutcome({ id: error.id === 'user-intervention-required' ? 'over-quota' : 'too-large' })
}

/** Returns the seconds until the next contact. */
export function getPause(outcome: Outcome, failures: number): number {
  if (!('error' in outcome))
    return outcome.isComplete ? pollSeconds + (Math.random() - 0.5) * jitterSeconds : 0
  const { error, retryAfter } = outcome
  if (error.id === 'over-quota') return fullDelay
  const delay = delays[Math.min(failures, delays.length) - 1] ?? pollSeconds
  return Math.max(delay * (1 + Math.random() / 10), retryAfter)
}
