/**
 * Attempts at codes, counted in the user's file: whatever address they come from, over whatever wire, and across restarts.
 * (docs/spec/mfa.md#errors)
 */
import type { UserStore } from '../../../storage/user/user-store.js'
import { ApiError } from '../../errors.js'
import type { Config } from '../../settings/config.js'

interface Attempts {
  readonly count: number
  /** Seconds: when they are forgotten, and until when the next has to wait. */
  readonly forgottenAt: number
  readonly waitUntil: number
}

/** What is counted: wrong codes, and messages sent. */
export type AttemptKind = 'mfa-failures' | 'mfa-messages'

/** Seconds for which wrong codes count at least: codes are short, and whoever waits between guesses has all the time. */
const day = 86_400

/** The first wait, in seconds; each further attempt doubles it. */
const firstWait = 2

/**
 * Counts an attempt before it is known how it ends, so that many at once are no way around; raises `too-many-requests`
 * for one that has to wait. Only within a write of its own: the count has to outlast the refusal.
 */
export function takeAttempt(
  { services, throttle }: Config,
  store: UserStore,
  kind: AttemptKind,
  now: number
): void {
  const { maxFailures, maxMessages } = services.mfa
  const known = store.signIn.state(kind) as Attempts | undefined
  const current = known && known.forgottenAt > now ? known : { count: 0, waitUntil: 0 }
  const seconds = Math.ceil(current.waitUntil - now)
  if (seconds > 0) throw new ApiError('too-many-requests', undefined, { retryAfter: seconds })
  const count = current.count + 1
  const memory = kind === 'mfa-failures' ? Math.max(day, throttle.window) : throttle.window
  const excess = count - (kind === 'mfa-failures' ? maxFailures : maxMessages)
  const wait = excess < 0 ? 0 : Math.min(firstWait * 2 ** excess, throttle.window)
  store.signIn.setState(kind, { count, waitUntil: now + wait, forgottenAt: now + wait + memory })
}

/** Forgets attempts, after a success. Only within a write. */
export function forgetAttempts(store: UserStore, kind: AttemptKind): void {
  store.signIn.removeState(kind)
}
