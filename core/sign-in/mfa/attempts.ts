/**
 * Counts attempts at codes in the user's database: from any address, over any transport, and across restarts.
 * (docs/spec/mfa.md#errors)
 */
import type { UserStore } from '../../../storage/user/user-store.js'
import { ApiError } from '../../errors.js'
import type { Config } from '../../settings/config.js'
import { limitWait } from '../../time.js'

interface Attempts {
  readonly count: number
  /** Time at which the attempts are forgotten, in seconds. */
  readonly forgottenAt: number
  /** Time until which the next attempt has to wait, in seconds. */
  readonly waitUntil: number
}

/** What is counted: wrong codes, and messages sent. */
type AttemptKind = 'mfa-failures' | 'mfa-messages'

/** Minimum seconds for which wrong codes count: codes are short, so slow guessing must not pay off either. */
const day = 86_400

/** The first wait, in seconds; each further attempt doubles it. */
const firstWait = 2

/**
 * Counts an attempt before its outcome is known, so that parallel attempts cannot get around the limit. Throws
 * `too-many-requests` for an attempt that has to wait. Must run in a separate transaction, so that a later error does
 * not undo the count.
 */
export function countAttempt(
  { services, throttle }: Config,
  store: UserStore,
  kind: AttemptKind,
  now: number
): void {
  const { maxFailures, maxMessages } = services.mfa
  const known = store.signIn.getState(kind) as Attempts | undefined
  const current = known && known.forgottenAt > now ? known : { count: 0, waitUntil: 0 }
  const seconds = Math.ceil(limitWait(current.waitUntil, now, throttle.window) - now)
  if (seconds > 0) throw new ApiError('too-many-requests', undefined, { retryAfter: seconds })
  const count = current.count + 1
  const memory = kind === 'mfa-failures' ? Math.max(day, throttle.window) : throttle.window
  const excess = count - (kind === 'mfa-failures' ? maxFailures : maxMessages)
  const wait = excess < 0 ? 0 : Math.min(firstWait * 2 ** excess, throttle.window)
  store.signIn.setState(kind, { count, waitUntil: now + wait, forgottenAt: now + wait + memory })
}

/** Resets the attempts, after a success. Must run within a transaction. */
export function resetAttempts(store: UserStore, kind: AttemptKind): void {
  store.signIn.removeState(kind)
}
