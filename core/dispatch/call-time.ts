/**
 * Keeps one account from filling a turn of the event loop with calls that take long each, such as queries of many streams:
 * they cannot be cut, but the next one waits for its turn. (docs/architecture.md#where-long-work-takes-turns)
 */
import { scheduler } from '../../storage/scheduler.js'
import { getPresentedToken } from '../auth/authenticate.js'
import type { Outcome, Request } from '../call/outcome.js'
import type { Services } from '../call/services.js'

/** Calls that take less time than this do not count, in milliseconds. */
const longMs = 1
/** Time that counted calls of an account may take in a turn of the event loop before others wait, in milliseconds. */
const maxMs = 10

export class CallTime {
  /** Milliseconds in this turn of the event loop, by user name. */
  readonly #taken = new Map<string, number>()

  constructor(private readonly accounts: Services['accounts']) {}

  /** Returns what a call waits for before it is made: nothing, unless others of its account have taken their time in this turn of the event loop. */
  turn(request: Request): Promise<void> | undefined {
    if ((this.#taken.get(request.user ?? '') ?? 0) < maxMs) return undefined
    return scheduler.next({
      account: this.accountOf(request),
      access: getPresentedToken(request.credentials) ?? ''
    })
  }

  /** Returns whose turns a call takes: the id of its account, or the name that it gives. */
  accountOf({ user = '' }: Request): string {
    return this.accounts.find(user)?.id ?? user
  }

  /** Makes a call, and counts the time that it takes before it waits for anything. */
  measure({ user = '' }: Request, call: () => Promise<Outcome> | Outcome): Promise<Outcome> | Outcome {
    const startMs = performance.now()
    const outcome = call()
    const tookMs = performance.now() - startMs
    if (tookMs < longMs) return outcome
    if (this.#taken.size === 0) setImmediate(() => this.#taken.clear())
    this.#taken.set(user, (this.#taken.get(user) ?? 0) + tookMs)
    return outcome
  }
}
