/** The gateway with a look at what goes through it: counted always, logged where the operator wants it. */
import type { Gateway, GatewayCore } from '../core/call/gateway.js'
import type { AnyMethod } from '../core/call/method.js'
import type { Failure, Outcome, Request } from '../core/call/outcome.js'
import { CallStatistics } from './call-statistics.js'

export class MeteredGateway implements Gateway {
  readonly calls: CallStatistics
  readonly #logs: boolean

  constructor(private readonly gateway: Gateway) {
    this.calls = new CallStatistics(gateway.definitions.map(({ id }) => id))
    this.#logs = gateway.core.config.log.requests
  }

  get core(): GatewayCore {
    return this.gateway.core
  }

  get definitions(): readonly AnyMethod[] {
    return this.gateway.definitions
  }

  call(request: Request): Promise<Outcome> | Outcome {
    const beginMs = performance.now()
    const outcome = this.gateway.call(request)
    if (outcome instanceof Promise) return outcome.then(later => this.#noted(request, later, beginMs))
    return this.#noted(request, outcome, beginMs)
  }

  async callWhole(request: Request): Promise<Outcome> {
    const beginMs = performance.now()
    return this.#noted(request, await this.gateway.callWhole(request), beginMs)
  }

  precheck(request: Omit<Request, 'params'>): ReturnType<Gateway['precheck']> {
    return this.gateway.precheck(request)
  }

  recheck(request: Request): ReturnType<Gateway['recheck']> {
    return this.gateway.recheck(request)
  }

  room(username: string): Promise<number> | number {
    return this.gateway.room(username)
  }

  failure(thrown: unknown, method: string): Failure {
    return this.gateway.failure(thrown, method)
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
