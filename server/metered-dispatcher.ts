/** A dispatcher that counts every call, and logs it if `log.requests` is set. */
import type { Dispatcher, SharedServices } from '../core/call/dispatcher.js'
import type { AnyMethod } from '../core/call/method.js'
import type { Outcome, Request } from '../core/call/outcome.js'
import { CallStatistics } from './call-statistics.js'

export class MeteredDispatcher implements Dispatcher {
  readonly calls: CallStatistics
  readonly #isLoggingCalls: boolean

  constructor(private readonly dispatcher: Dispatcher) {
    this.calls = new CallStatistics(dispatcher.definitions.map(({ id }) => id))
    this.#isLoggingCalls = dispatcher.services.config.log.requests
  }

  get services(): SharedServices {
    return this.dispatcher.services
  }

  get definitions(): readonly AnyMethod[] {
    return this.dispatcher.definitions
  }

  /** Makes the call, and counts it with its status and duration. */
  call(request: Request): Promise<Outcome> | Outcome {
    const beginMs = performance.now()
    const outcome = this.dispatcher.call(request)
    if (outcome instanceof Promise) return outcome.then(later => this.#record(request, later, beginMs))
    return this.#record(request, outcome, beginMs)
  }

  /** Passes the check on, uncounted. */
  precheck(request: Omit<Request, 'params'>): ReturnType<Dispatcher['precheck']> {
    return this.dispatcher.precheck(request)
  }

  /** Passes the check on, uncounted. */
  recheck(request: Request): ReturnType<Dispatcher['recheck']> {
    return this.dispatcher.recheck(request)
  }

  /** Records a call. A list is timed up to its first page; how long the remainder takes depends on the client. */
  #record({ method }: Request, outcome: Outcome, beginMs: number): Outcome {
    const durationMs = performance.now() - beginMs
    const status = outcome.ok ? 200 : outcome.error.status
    const name = this.calls.record(method, status, durationMs)
    if (!this.#isLoggingCalls) return outcome
    this.services.log.info('call', {
      // Never the name that the client sent, which may contain anything.
      method: name,
      status,
      durationMs: Math.round(durationMs * 1000) / 1000,
      ...(outcome.ok ? {} : { errorId: outcome.error.id }),
      ...(outcome.accessId === undefined ? {} : { accessId: outcome.accessId })
    })
    return outcome
  }
}
