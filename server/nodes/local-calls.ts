/** Makes calls on users that this node serves. What was read without a valid lease is not returned. */
import type { PrecheckResult } from '../../core/call/dispatcher.js'
import { fail } from '../../core/errors.js'
import { toFailure, type Failure, type Outcome, type Request } from '../../core/call/outcome.js'
import { TextSource, type TextResult } from '../../core/call/text-source.js'
import type { Registry } from '../../core/dispatch/registry.js'
import { getCalledUser } from '../workers/called-user.js'
import type { ShardOwnership } from './shard-ownership.js'
import { createUncertainError, createUnreachableError } from './unavailable-errors.js'

interface LocalCallsOptions {
  readonly registry: Registry
  readonly ownership: ShardOwnership
  /**
   * Resolves when this node knows all accounts that existed at the time of the call. Rejects if it cannot find that
   * out.
   */
  catchUp(): Promise<void>
  /** Returns the number of changes to the platform file that this node has applied. */
  countChanges(): number
}

/** Errors that do not depend on the platform file. */
const definiteErrors = new Set(['invalid-method', 'invalid-parameters-format', 'invalid-request-structure'])

export class LocalCalls {
  constructor(private readonly options: LocalCallsOptions) {}

  /** Runs a call at this node. The outcome is a failure with `api-unavailable` if data may be outdated. */
  call(request: Request): Promise<Outcome> | Outcome {
    const { registry } = this.options
    const user = getCalledUser(request)
    const call = (): Promise<Outcome> | Outcome => registry.call(request)
    if (user === undefined) return this.#callUpToDate(request.method, call)
    return this.#runGuarded<Outcome>(request.method, user, call, outcome =>
      this.#checkOutcome(outcome, request.method)
    )
  }

  /** Prechecks a call here, before its body is read. */
  precheck(request: Omit<Request, 'params'>): Promise<PrecheckResult | Failure> | PrecheckResult | Failure {
    const { registry } = this.options
    return this.#check<PrecheckResult | Failure>(request, () => registry.precheck(request))
  }

  /** Rechecks a call here, after its body was read. Returns `undefined` if it can be made. */
  recheck(request: Request): Promise<Failure | undefined> | Failure | undefined {
    const { registry } = this.options
    return this.#check(request, () => registry.recheck(request))
  }

  /** Reads data of a user. Rejects with `api-unavailable` if it may be outdated. */
  async read<T>(username: string, work: () => Promise<T> | T): Promise<T> {
    await this.#waitUntilKnown(username)
    const { ownership } = this.options
    const value = await ownership.run(username, work)
    if (!ownership.isCertain) throw createUnreachableError()
    return value
  }

  /** Returns whether a method only reads. Unknown methods count as reading, since calling them changes nothing. */
  isRead(method: string): boolean {
    return this.#getMode(method) === 'read'
  }

  /**
   * Makes a call that needs only the platform file. That file may not contain yet what another node has just returned
   * to the caller: before refusing the call, this node applies missing changes, and if there were any, repeats the
   * call.
   */
  #callUpToDate(method: string, call: () => Promise<Outcome> | Outcome): Promise<Outcome> | Outcome {
    const { options } = this
    const before = options.countChanges()
    const checkRefusal = (outcome: Outcome): Promise<Outcome> | Outcome => {
      if (outcome.ok) return outcome
      const { id, status } = outcome.error
      if (status >= 500 || status === 429 || definiteErrors.has(id)) return outcome
      return options.catchUp().then(
        () => {
          // On a partitioned machine, a former leader of the platform log may respond until it notices that it is no longer the leader.
          if (!options.ownership.isCertain) return this.#toFailure(createUnreachableError(), method)
          return options.countChanges() === before ? outcome : call()
        },
        (error: unknown) => this.#toFailure(createUnreachableError(error), method)
      )
    }
    const outcome = call()
    return outcome instanceof Promise ? outcome.then(checkRefusal) : checkRefusal(outcome)
  }

  #check<T extends object | undefined>(
    { method, user }: Omit<Request, 'params'>,
    check: () => Promise<T> | T
  ): Promise<Failure | T> | Failure | T {
    // Calls that need no user's file, such as an operator's reading the metrics, work without the engine, too.
    if (user === undefined) return check()
    return this.#runGuarded<Failure | T>(method, user, check, found =>
      this.options.ownership.isCertain ? found : this.#toFailure(createUnreachableError(), method)
    )
  }

  /** Runs work on a user's file, and passes its value through `then`. Rejects only if `work` does. */
  #runGuarded<T>(
    method: string,
    user: string,
    work: () => Promise<T> | T,
    then: (value: T) => T
  ): Promise<Failure | T> | Failure | T {
    const { ownership } = this.options
    try {
      const known = this.#waitUntilKnown(user)
      if (known)
        return known.then(
          () => this.#runAfterCatchUp(method, user, work, then),
          error => this.#toFailure(createUnreachableError(error), method)
        )
      const value = ownership.run(user, work)
      return value instanceof Promise ? value.then(then) : then(value)
    } catch (error) {
      return this.#toFailure(error, method)
    }
  }

  async #runAfterCatchUp<T>(
    method: string,
    user: string,
    work: () => Promise<T> | T,
    then: (value: T) => T
  ): Promise<Failure | T> {
    try {
      return then(await this.options.ownership.run(user, work))
    } catch (error) {
      return this.#toFailure(error, method)
    }
  }

  /** Waits for missing changes if the user is unknown: another node may just have created the account. */
  #waitUntilKnown(user: string): Promise<void> | undefined {
    const { registry } = this.options
    return registry.services.accounts.find(user) ? undefined : this.options.catchUp()
  }

  /** Replaces the outcome of a call if the lease is no longer valid, except that of a confirmed write. */
  #checkOutcome(outcome: Outcome, method: string): Outcome {
    const { ownership } = this.options
    if (!outcome.ok) {
      if (ownership.isCertain || outcome.error.status >= 500) return outcome
      return this.#toFailure(this.isRead(method) ? createUnreachableError() : createUncertainError(), method)
    }
    const { remainder } = outcome
    if (ownership.isCertain || this.#isWrite(method))
      return remainder && !this.#isWrite(method)
        ? { ...outcome, remainder: new LeasedRemainder(remainder, ownership) }
        : outcome
    void remainder?.return()
    return this.#toFailure(this.isRead(method) ? createUnreachableError() : createUncertainError(), method)
  }

  #toFailure(error: unknown, method: string): Failure {
    return toFailure(this.options.registry.services.log, error, method)
  }

  #isWrite(method: string): boolean {
    return this.#getMode(method) === 'write'
  }

  #getMode(method: string): string {
    try {
      return this.options.registry.stages.find(method).definition.mode
    } catch {
      // The method does not exist, so nothing has been done.
      return 'read'
    }
  }
}

/** The remainder of a long result. Reading it fails once the lease is invalid. */
class LeasedRemainder extends TextSource {
  constructor(
    private readonly remainder: AsyncGenerator<string, void, undefined>,
    private readonly ownership: ShardOwnership
  ) {
    super()
  }

  /** Reads on. Rejects with `api-unavailable` once this node may no longer serve the user. */
  async next(): Promise<TextResult> {
    const step = await this.remainder.next()
    if (this.ownership.isCertain) return step
    await this.return()
    return fail('api-unavailable')
  }

  async return(): Promise<TextResult> {
    return await this.remainder.return()
  }
}
