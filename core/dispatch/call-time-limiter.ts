/**
 * Prevents one account from filling a turn of the event loop with slow calls, such as queries of many streams. A call
 * cannot be interrupted, but the account's next call waits. (docs/architecture.md#where-long-work-takes-turns)
 */
import { scheduler } from '../../storage/scheduler.js'
import { getPresentedToken } from '../auth/authenticate.js'
import type { Outcome, Request } from '../call/outcome.js'
import type { Services } from '../call/services.js'
import { getAccountKey } from '../call/account-key.js'

/** Duration from which a call counts, in milliseconds. */
const minCountedMs = 1
/** Time that the counted calls of an account may take in one turn of the event loop before others wait, in milliseconds. */
const maxMs = 10

/** Measures the calls of accounts, and tells which have to wait. */
export class CallTimeLimiter {
  /** Milliseconds used in this turn of the event loop, by account. */
  readonly #usedMs = new Map<string, number>()

  constructor(private readonly services: Pick<Services, 'accounts'>) {}

  /** Returns a promise that a call must wait for; `undefined` unless calls of its account have used up their time in this turn of the event loop. */
  waitForTurn(request: Request): Promise<void> | undefined {
    if (this.#usedMs.size === 0) return undefined
    const account = this.getAccountKey(request)
    if ((this.#usedMs.get(account) ?? 0) < maxMs) return undefined
    return scheduler.next({
      account,
      access: getPresentedToken(request.credentials) ?? ''
    })
  }

  /** Returns the key by which calls are scheduled: the id of the account, or the username if it is unknown. */
  getAccountKey({ user = '' }: Request): string {
    return getAccountKey(this.services, user)
  }

  /** Makes a call, and counts the time of its synchronous part. */
  measure(request: Request, call: () => Promise<Outcome> | Outcome): Promise<Outcome> | Outcome {
    const startMs = performance.now()
    const outcome = call()
    const durationMs = performance.now() - startMs
    if (durationMs < minCountedMs) return outcome
    if (this.#usedMs.size === 0) setImmediate(() => this.#usedMs.clear())
    const account = this.getAccountKey(request)
    this.#usedMs.set(account, (this.#usedMs.get(account) ?? 0) + durationMs)
    return outcome
  }
}
