/** Calls on users whom this node serves. What is read without a valid lease is not told. */
import type { Admittance } from '../../core/call/dispatcher.js'
import { fail } from '../../core/errors.js'
import { failureOf, type Failure, type Outcome, type Request } from '../../core/call/outcome.js'
import { Texts, type Step } from '../../core/call/texts.js'
import type { Registry } from '../../core/dispatch/registry.js'
import { addresseeOf } from '../workers/addressee.js'
import type { ShardOwnership } from './shard-ownership.js'
import { uncertain, unreachable } from './unreachable.js'

export interface LocalCallsOptions {
  readonly registry: Registry
  readonly ownership: ShardOwnership
  /** Resolves when this node knows all accounts that there were when it was called. Rejects if it cannot be said. */
  caughtUp(): Promise<void>
  /** Grows with each change of what all nodes have in common, once this node knows of it. */
  known(): number
}

/** Refusals that are the same whatever the nodes have in common. */
const certain = new Set(['invalid-method', 'invalid-parameters-format', 'invalid-request-structure'])

export class LocalCalls {
  constructor(private readonly options: LocalCallsOptions) {}

  call(request: Request): Promise<Outcome> | Outcome {
    const { registry } = this.options
    const user = addresseeOf(request)
    const call = (): Promise<Outcome> | Outcome => registry.call(request)
    if (user === undefined) return this.#upToDate(request.method, call)
    return this.#guarded<Outcome>(request.method, user, call, outcome =>
      this.#certain(outcome, request.method)
    )
  }

  precheck(request: Omit<Request, 'params'>): Promise<Admittance | Failure> | Admittance | Failure {
    const { registry } = this.options
    return this.#checked<Admittance | Failure>(request, () => registry.precheck(request))
  }

  recheck(request: Request): Promise<Failure | undefined> | Failure | undefined {
    const { registry } = this.options
    return this.#checked(request, () => registry.recheck(request))
  }

  /** Reads something of a user. Rejects with `api-unavailable` if it may not be the latest. */
  async read<T>(username: string, work: () => Promise<T> | T): Promise<T> {
    await this.#known(username)
    const { ownership } = this.options
    const value = await ownership.run(username, work)
    if (!ownership.isCertain) throw unreachable()
    return value
  }

  /**
   * What no user's file is needed for is read from the file that all nodes have, where what a caller was told by another node just
   * now may be missing yet: before somebody is refused, this node finds out whether it is, and looks again.
   */
  #upToDate(method: string, call: () => Promise<Outcome> | Outcome): Promise<Outcome> | Outcome {
    const { options } = this
    const before = options.known()
    const lookedAt = (outcome: Outcome): Promise<Outcome> | Outcome => {
      if (outcome.ok) return outcome
      const { id, status } = outcome.error
      if (status >= 500 || status === 429 || certain.has(id)) return outcome
      return options.caughtUp().then(
        () => {
          // On a machine that is cut off, whoever leads the log of the platform there may answer for as long as it does not know.
          if (!options.ownership.isCertain) return this.#failure(unreachable(), method)
          return options.known() === before ? outcome : call()
        },
        (error: unknown) => this.#failure(unreachable(error), method)
      )
    }
    const outcome = call()
    return outcome instanceof Promise ? outcome.then(lookedAt) : lookedAt(outcome)
  }

  #checked<T extends object | undefined>(
    { method, user }: Omit<Request, 'params'>,
    check: () => Promise<T> | T
  ): Promise<Failure | T> | Failure | T {
    // Whoever needs no user's file, such as an operator who reads the metrics, is answered without the engine, too.
    if (user === undefined) return check()
    return this.#guarded<Failure | T>(method, user, check, found =>
      this.options.ownership.isCertain ? found : this.#failure(unreachable(), method)
    )
  }

  /** Never rejects, as long as `work` does not. */
  #guarded<T>(
    method: string,
    user: string,
    work: () => Promise<T> | T,
    then: (value: T) => T
  ): Promise<Failure | T> | Failure | T {
    const { ownership } = this.options
    try {
      const known = this.#known(user)
      if (known)
        return known.then(
          () => this.#during(method, user, work, then),
          error => this.#failure(unreachable(error), method)
        )
      const value = ownership.run(user, work)
      return value instanceof Promise ? value.then(then) : then(value)
    } catch (error) {
      return this.#failure(error, method)
    }
  }

  async #during<T>(
    method: string,
    user: string,
    work: () => Promise<T> | T,
    then: (value: T) => T
  ): Promise<Failure | T> {
    try {
      return then(await this.options.ownership.run(user, work))
    } catch (error) {
      return this.#failure(error, method)
    }
  }

  /** Another node may have made an account that this one has not heard of yet. */
  #known(user: string): Promise<void> | undefined {
    const { registry } = this.options
    return registry.services.accounts.find(user) ? undefined : this.options.caughtUp()
  }

  /** What is told of a call: a write that was confirmed stays true, whatever has become of the lease since. */
  #certain(outcome: Outcome, method: string): Outcome {
    const { ownership } = this.options
    if (!outcome.ok) {
      if (ownership.isCertain || outcome.error.status >= 500) return outcome
      return this.#failure(this.#isRead(method) ? unreachable() : uncertain(), method)
    }
    const { remainder } = outcome
    if (ownership.isCertain || this.#isWrite(method))
      return remainder && !this.#isWrite(method)
        ? { ...outcome, remainder: new CertainRest(remainder, ownership) }
        : outcome
    void remainder?.return()
    return this.#failure(this.#isRead(method) ? unreachable() : uncertain(), method)
  }

  #failure(error: unknown, method: string): Failure {
    return failureOf(this.options.registry.services.log, error, method)
  }

  #isRead(method: string): boolean {
    return this.#modeOf(method) === 'read'
  }

  #isWrite(method: string): boolean {
    return this.#modeOf(method) === 'write'
  }

  #modeOf(method: string): string {
    try {
      return this.options.registry.stages.find(method).definition.mode
    } catch {
      // There is no such method: nothing has been done.
      return 'read'
    }
  }
}

/** The rest of a long answer, as long as the lease is valid. */
class CertainRest extends Texts {
  constructor(
    private readonly rest: AsyncGenerator<string, void, undefined>,
    private readonly ownership: ShardOwnership
  ) {
    super()
  }

  async next(): Promise<Step> {
    const step = await this.rest.next()
    if (this.ownership.isCertain) return step
    await this.return()
    return fail('api-unavailable')
  }

  async return(): Promise<Step> {
    return await this.rest.return()
  }
}
