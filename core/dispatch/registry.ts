/**
 * Dispatches the calls of all transports: authenticate → allow → validate, then prepare → run → durable → publish in
 * core/dispatch/execution.ts.
 */
import { AccountElsewhere, StoreNotReady } from '../../storage/errors.js'
import { authenticate, requireOpenAccount } from '../auth/authenticate.js'
import { fail } from '../errors.js'
import { CallTimeLimiter } from './call-time-limiter.js'
import { Execution } from './execution.js'
import { ResponseAssembly, createTooManyPendingError } from './response-assembly.js'
import type { PrecheckResult, Dispatcher } from '../call/dispatcher.js'
import { joinMembers } from '../json/json-text.js'
import type { AnyMethod, ServiceCall, ServiceMethod, UserMethod } from '../call/method.js'
import {
  isCachedByClient,
  createSuccess,
  createUnchanged,
  type Failure,
  type Outcome,
  type Request
} from '../call/outcome.js'
import { addOperator, findAccountInParams, recordRefusedAction, runAndRecord } from './operator-calls.js'
import { getBytesLeft } from './quota.js'
import { ReadAuthorization } from './read-authorization.js'
import { isUnavailable, refuseUnknownUser } from '../unknown-user.js'
import { anonymousCaller, Stages, type Compiled, type Dispatch } from './stages.js'
import { hashText } from './validators.js'
import { runAuthorizationStep } from '../call/authorization-step.js'
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'

/** The message for a write whose result is too long: clients must not repeat the call. */
const resultTooLarge = 'The call took effect, but its result is too large for one response'

/** All methods by their ids, and the way in for calls of any transport. */
export class Registry implements Dispatch, Dispatcher {
  readonly #assembly: ResponseAssembly
  readonly #callTime: CallTimeLimiter
  /** Validators of constant results, by method id. */
  readonly #constantValidators = new Map<string, string>()
  readonly stages: Stages

  constructor(
    readonly services: Services,
    definitions: readonly AnyMethod[]
  ) {
    this.#callTime = new CallTimeLimiter(services)
    this.stages = new Stages(services, definitions)
    const { limits, sockets } = services.config
    this.#assembly = new ResponseAssembly(Math.max(sockets.maxBufferedBytes, limits.batchResultBytes))
  }

  /** Returns the definitions of the API's methods, in the order of the list. */
  get definitions(): AnyMethod[] {
    return this.stages.definitions.filter(({ isInternal }) => !isInternal)
  }

  /** Makes one call. Never rejects or throws. Synchronous if nothing had to wait. */
  call(request: Request): Promise<Outcome> | Outcome {
    const withUser = this.#addUser(request)
    const waiting = this.#callTime.waitForTurn(withUser)
    if (request.isWhole) return this.#callWhole(withUser, waiting)
    return waiting ? waiting.then(() => this.#startCall(withUser)) : this.#startCall(withUser)
  }

  #startCall(request: Request): Promise<Outcome> | Outcome {
    return this.#callTime.measure(request, () => {
      try {
        const outcome = this.#dispatch(request)
        return outcome instanceof Promise
          ? outcome.catch(error => this.#handleError(error, request))
          : outcome
      } catch (error) {
        return this.#handleError(error, request)
      }
    })
  }

  /** Adds the user to a request that contains the username only in its params. */
  #addUser(request: Request): Request {
    if (request.user !== undefined) return request
    try {
      const { definition } = this.stages.find(request.method)
      const user = (definition as Partial<UserMethod>).findUsername?.(this.services, request.params)
      return user === undefined ? request : { ...request, user }
    } catch {
      return request // The error is reported when the call is made.
    }
  }

  /** Makes a call whose result is assembled in memory, after waiting for room. Error: `too-many-results` if the result is too large. */
  async #callWhole(request: Request, waiting: Promise<void> | undefined): Promise<Outcome> {
    if (waiting) await waiting
    const account = this.#callTime.getAccountKey(request)
    for (let room = this.#assembly.waitForRoom(account); room; room = this.#assembly.waitForRoom(account))
      await room
    const made = this.#startCall(request)
    // A synchronous outcome is counted before the next call is made.
    const outcome = made instanceof Promise ? await made : made
    if (!outcome.ok) return outcome
    const { mode } = this.stages.find(request.method).definition
    const { batchResultItems, batchResultBytes } = this.services.config.limits
    const maxLength = Math.min(batchResultBytes, request.maxLength ?? Infinity)
    const { accessId, items = () => 0, remainder } = outcome
    let text = outcome.members
    const assertResultSize = (): void => {
      if (items() > batchResultItems || text.length > maxLength)
        fail('too-many-results', mode === 'write' || mode === 'batch' ? resultTooLarge : undefined)
    }
    try {
      assertResultSize()
      if (!remainder) return outcome
      if (mode === 'read' && !this.#assembly.hasRoom(account, text.length)) throw createTooManyPendingError()
      // Assembling all results at once would fill the memory before the first one is sent.
      await this.#assembly.run({ account, access: accessId ?? '' }, text.length, async longest => {
        while (text.length <= longest) {
          const { done, value } = await remainder.next()
          if (done) return true
          text += value
          assertResultSize()
        }
        return false
      })
      return createSuccess(text, accessId)
    } catch (error) {
      await remainder?.return()
      const failure = this.stages.toFailure(error, request.method)
      return accessId === undefined ? failure : { ...failure, accessId }
    }
  }

  /** Makes a call elsewhere or later if its account is served elsewhere or not ready. Other errors become the outcome. */
  #handleError(error: unknown, request: Request): Promise<Outcome> | Outcome {
    // A method of the service needs an account that another thread or node serves: make the call there.
    const { peers } = this.services.shard
    if (error instanceof AccountElsewhere && peers)
      return peers.forward(error.username, { ...request, isWhole: true })
    return this.#retryWhenReady<Outcome>(
      error,
      () => this.#startCall(request),
      cause =>
        error instanceof StoreNotReady
          ? this.#forwardUnopened(cause, request)
          : this.#recordFailure(cause, request)
    )
  }

  /** Forwards a call whose user's file could not be opened, so that nothing has been done, if another node now serves the user. */
  #forwardUnopened(cause: unknown, request: Request): Promise<Outcome> | Outcome {
    const { accounts, shard } = this.services
    const { files = [], user } = request
    const isElsewhere = user !== undefined && accounts.findServed(user) && !accounts.owns({ username: user })
    // Files may have come from there, and cannot be sent again.
    return isElsewhere && shard.peers && files.length === 0
      ? shard.peers.forward(user, request)
      : this.#recordFailure(cause, request)
  }

  /** Starts a call: finds the method and the account, authenticates, and begins the execution. Throws errors of the service. */
  #dispatch(request: Request): Promise<Outcome> | Outcome {
    const { user, method, params, credentials, isDocument, isWhole, signal, files = [] } = request
    const compiled = this.stages.find(method)
    const { definition } = compiled
    if (files.length > 0) this.stages.requireFiles(definition)
    const { services } = this
    const service: ServiceCall = { services, credentials, now: services.clock.now(), signal }
    if (definition.mode === 'service') return this.#callService(compiled, service, params)
    const account = this.#findAccount(definition, user ?? '')
    if (!account) return this.#callWithoutUser(compiled, service, user, params)
    const caller = this.stages.authenticateCaller(account, credentials, compiled, service.now)
    const context = { compiled, account, caller, service, params, isWhole, isDocument }
    const execution = new Execution(this, context)
    const { authorizationStep } = this.services
    if (!authorizationStep || !caller.access) return execution.begin(files)
    return runAuthorizationStep(authorizationStep, account, caller, credentials).then(() =>
      execution.beginAfterWait(files)
    )
  }

  /** Returns the account of a call: an open one or, if the method allows that, one that is scheduled for deletion. */
  #findAccount(definition: AnyMethod, username: string): Account | undefined {
    const { accounts } = this.services
    const { isAllowedWhileClosing, worksByAlias } = definition as Partial<UserMethod>
    // The owner signs in by name. By an alias, every method without a token behaves as for an unknown user.
    const isOfOwner = !definition.allow.needsAccess && !worksByAlias
    const account = isOfOwner ? accounts.findOwn(username) : accounts.find(username)
    return account ?? (isAllowedWhileClosing ? accounts.findClosing(username) : undefined)
  }

  /** Makes a call of a method of the service itself, which needs no account. */
  async #callService(compiled: Compiled, service: ServiceCall, params: unknown): Promise<Outcome> {
    const definition = compiled.definition as ServiceMethod
    const credentials = await addOperator(service, definition)
    const call: ServiceCall = { ...service, credentials }
    try {
      this.stages.checkCall(compiled, anonymousCaller, credentials, params)
    } catch (error) {
      await recordRefusedAction(definition, call, params, error)
      throw error
    }
    const known = this.#constantValidators.get(definition.id)
    if (known !== undefined && isCachedByClient(credentials, known)) return createUnchanged(known)
    const result = await runAndRecord(definition, call, params)
    if (compiled.audited)
      this.stages.audit.recordSuccess(findAccountInParams(this.services, params), compiled.audited, {
        caller: anonymousCaller,
        credentials,
        now: call.now
      })
    const outcome = createSuccess(joinMembers(result), undefined, undefined, definition.facts?.(result))
    if (!definition.isConstant) return outcome
    const validator = hashText(outcome.members)
    this.#constantValidators.set(definition.id, validator)
    return isCachedByClient(credentials, validator) ? createUnchanged(validator) : { ...outcome, validator }
  }

  /** Makes a call on a user who does not exist here, if the method handles that. Throws the refusal for the unknown user otherwise. */
  async #callWithoutUser(
    compiled: Compiled,
    service: ServiceCall,
    user: string | undefined,
    params: unknown
  ): Promise<Outcome> {
    const definition = compiled.definition as Partial<UserMethod>
    const { accounts } = this.services
    if (accounts.findClosing(user ?? '')) requireOpenAccount(this.services, user ?? '', service.credentials)
    if (isUnavailable(accounts, user ?? '') || !definition.handleUnknownUser)
      refuseUnknownUser(accounts, user ?? '')
    this.stages.checkCall(compiled, anonymousCaller, service.credentials, params)
    return createSuccess(joinMembers(await definition.handleUnknownUser(service, user ?? '', params)))
  }

  precheck(request: Omit<Request, 'params'>): Promise<PrecheckResult | Failure> | PrecheckResult | Failure {
    const { user, method, credentials } = request
    const { services } = this
    try {
      const { definition } = this.stages.find(method)
      if (definition.mode === 'service') {
        // A page session is authenticated asynchronously, by the call itself.
        if (!definition.allow.isForOperators || credentials.pageUser === undefined)
          definition.allow.check?.({
            services: this.services,
            caller: anonymousCaller,
            credentials,
            params: undefined
          })
        return { ok: true, room: Infinity }
      }
      const account = requireOpenAccount(services, user ?? '', credentials)
      const store = services.accounts.openStore(account)
      const room = getBytesLeft(services, account.username)
      if (!definition.allow.needsAccess) return { ok: true, room }
      const now = services.clock.now()
      const { access } = store.read(() => authenticate({ services, account, store, credentials, now }))
      if (services.callLimit && access) services.callLimit.check(account, access)
      return { ok: true, room, accessId: access?.id }
    } catch (error) {
      return this.#retryWhenReady<PrecheckResult | Failure>(
        error,
        () => this.precheck(request),
        cause => this.#recordFailure(cause, request)
      )
    }
  }

  recheck(request: Request): Promise<Failure | undefined> | Failure | undefined {
    const { credentials, method, params, user } = request
    try {
      const { definition } = this.stages.find(method)
      const account = requireOpenAccount(this.services, user ?? '', credentials)
      const needed = definition.allow.needsAccess ? '' : undefined
      const reader = new ReadAuthorization(this.services, account, credentials, needed).getReader()
      definition.allow.check?.({ services: this.services, caller: reader.caller, credentials, params })
      if (definition.mode === 'read') reader.store.read(() => definition.recheckAccess?.(reader, params))
      return undefined
    } catch (error) {
      return this.#retryWhenReady<Failure | undefined>(
        error,
        () => this.recheck(request),
        cause => this.stages.toFailure(cause, method)
      )
    }
  }

  /** Repeats an operation that failed because the file was not ready, once the file is ready. Other errors are passed to `onError`. */
  #retryWhenReady<T>(
    error: unknown,
    retry: () => Promise<T> | T,
    onError: (error: unknown) => Promise<T> | T
  ): Promise<T> | T {
    return error instanceof StoreNotReady ? error.ready.then(retry, onError) : onError(error)
  }

  #recordFailure(error: unknown, request: Omit<Request, 'params'>): Failure {
    const failure = this.stages.toFailure(error, request.method)
    this.stages.recordRefusal(request, failure)
    return failure
  }
}
