/** The dispatcher with a look at what goes through it: counted always, logged where the operator wants it. */
import type { Dispatcher, SharedServices } from '../core/call/dispatcher.js'
import type { AnyMethod } from '../core/call/method.js'
import type { Failure, Outcome, Request } from '../core/call/outcome.js'
import { CallStatistics } from './call-statistics.js'

export class MeteredDispatcher implements Dispatcher {
  readonly calls: CallStatistics
  readonly #logs: boolean

  constructor(private readonly dispatcher: Dispatcher) {
    this.calls = new CallStatistics(dispatcher.definitions.map(({ id }) => id))
    this.#logs = dispatcher.core.config.log.requests
  }

  get core(): SharedServices {
    return this.dispatcher.core
  }

  get definitions(): readonly AnyMethod[] {
    return this.dispatcher.definitions
  }

  call(request: Request): Promise<Outcome> | Outcome {
    const beginMs = performance.now()
    const outcome = this.dispatcher.call(request)
    if (outcome instanceof Promise) return outcome.then(later => this.#noted(request, later, beginMs))
    return this.#noted(request, outcome, beginMs)
  }

  async callWhole(request: Request): Promise<Outcome> {
    const beginMs = performance.now()
    return this.#noted(request, await this.dispatcher.callWhole(request), beginMs)
  }

  precheck(request: Omit<Request, 'params'>): ReturnType<Dispatcher['precheck']> {
    return this.dispatcher.precheck(request)
  }

  recheck(request: Request): ReturnType<Dispatcher['recheck']> {
    return this.dispatcher.recheck(request)
  }

  admitUpload(request: Omit<Request, 'params'>): ReturnType<Dispatcher['admitUpload']> {
    return this.dispatcher.admitUpload(request)
  }

  failure(thrown: unknown, method: string): Failure {
    return this.dispatcher.failure(thrown, method)
  }

  /** A list counts until its first page is there: what follows comes as quickly as the client takes it. */
  #noted({ method }: Request, outcome: Outcome, beginMs: number): Outcome {
    const durationMs = performance.now() - beginMs
    const status = outcome.ok ? 200 : outcome.error.status
    const known = this.calls.record(method, status, durationMs)
    if (!this.#logs) return outcome
    this.core.log.info('call', {
      // Names that clients make up may hold anything.
      method: known,
      status,
      durationMs: Math.round(durationMs * 1000) / 1000,
      ...(outcome.ok ? {} : { errorId: outcome.error.id }),
      ...(outcome.accessId === undefined ? {} : { accessId: outcome.accessId })
    })
    return outcome
  }
}
