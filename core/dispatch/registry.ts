/**
 * The path that every call takes, whatever the transport: authenticate → allow → validate, then prepare → run →
 * durable → publish in core/dispatch/execution.ts. It never rejects.
 */
import { AccountElsewhere, StoreNotReady } from '../../storage/errors.js'
import { authenticate } from '../auth/authenticate.js'
import { requireOpenAccount } from '../auth/open-account.js'
import { fail } from '../errors.js'
import { CallTime } from './call-time.js'
import { Execution } from './execution.js'
import { Gatherings, tooManyWaiting } from './gatherings.js'
import type { Admittance, Dispatcher } from '../call/dispatcher.js'
import { joinMembers } from '../json/json-text.js'
import type { AnyMethod, ServiceCall, ServiceMethod } from '../call/method.js'
import { isKnown, success, unchanged, type Failure, type Outcome, type Request } from '../call/outcome.js'
import { recordRefused, runRecorded, withOperator } from './operating.js'
import { roomOf } from './quota.js'
import { Reading } from './reader.js'
import { isUnavailable, refuseUnknownUser } from '../unknown-user.js'
import { anonymous, Stages, type Compiled, type Dispatch } from './stages.js'
import { validatorOf } from './validators.js'
import { authorize } from '../call/authorization-step.js'
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'

/** What is said of a write whose result is too long: it is not to be made again. */
const doneTooLong = 'The call took effect, but its result is too large for one response'

export class Registry implements Dispatch, Dispatcher {
  readonly #gatherings: Gatherings
  readonly #time: CallTime
  /** Validators of constant results, by method id. */
  readonly #constants = new Map<string, string>()
  readonly stages: Stages

  constructor(
    readonly services: Services,
    definitions: readonly AnyMethod[]
  ) {
    this.#time = new CallTime(services.accounts)
    this.stages = new Stages(services, definitions)
    const { limits, sockets } = services.config
    this.#gatherings = new Gatherings(Math.max(sockets.maxBufferedBytes, limits.batchResultBytes))
  }

  /** Returns the definitions of all methods, in the order of the list. */
  get definitions(): AnyMethod[] {
    return this.stages.definitions
  }

  /** Makes one call. Never rejects or throws. Synchronous if nothing had to wait. */
  call(request: Request): Promise<Outcome> | Outcome {
    const addressed = this.#addressed(request)
    const turn = this.#time.turn(addressed)
    if (request.isWhole) return this.#callWhole(addressed, turn)
    return turn ? turn.then(() => this.#make(addressed)) : this.#make(addressed)
  }

  #make(request: Request): Promise<Outcome> | Outcome {
    return this.#time.measure(request, () => {
      try {
        const outcome = this.#dispatch(request)
        return outcome instanceof Promise ? outcome.catch(error => this.#refused(error, request)) : outcome
      } catch (error) {
        return this.#refused(error, request)
      }
    })
  }

  /** A request that names its user in the params alone, as one of that user. */
  #addressed(request: Request): Request {
    if (request.user !== undefined) return request
    try {
      const { definition } = this.stages.find(request.method)
      const user = 'userIn' in definition ? definition.userIn?.(this.services, request.params) : undefined
      return user === undefined ? request : { ...request, user }
    } catch {
      return request // What is wrong with it shows when it is made.
    }
  }

  async #callWhole(request: Request, turn: Promise<void> | undefined): Promise<Outcome> {
    if (turn) await turn
    const account = this.#time.accountOf(request)
    for (let room = this.#gatherings.room(account); room; room = this.#gatherings.room(account)) await room
    const made = this.#make(request)
    // Whatever does not wait counts before the next call is made.
    const outcome = made instanceof Promise ? await made : made
    if (!outcome.ok) return outcome
    const { mode } = this.stages.find(request.method).definition
    const { batchResultItems, batchResultBytes } = this.services.config.limits
    const maxLength = Math.min(batchResultBytes, request.maxLength ?? Infinity)
    const { accessId, items = () => 0, remainder } = outcome
    let text = outcome.members
    const assertResultSize = (): void => {
      if (items() > batchResultItems || text.length > maxLength)
        fail('too-many-results', mode === 'write' || mode === 'batch' ? doneTooLong : undefined)
    }
    try {
      assertResultSize()
      if (!remainder) return outcome
      if (mode === 'read' && !this.#gatherings.hasRoom(account, text.length)) throw tooManyWaiting()
      // Assembled all at once, results would fill the memory before the first one is sent.
      await this.#gatherings.run({ account, access: accessId ?? '' }, text.length, async () => {
        for await (const more of remainder) {
          text += more
          assertResultSize()
        }
      })
      return success(text, accessId)
    } catch (error) {
      await remainder?.return()
      const failure = this.stages.failure(error, request.method)
      return accessId === undefined ? failure : { ...failure, accessId }
    }
  }

  #refused(error: unknown, request: Request): Promise<Outcome> | Outcome {
    // A method of the service needs a user whose file is open in another thread: make the call there.
    const { peers } = this.services.shard
    if (error instanceof AccountElsewhere && peers)
      return peers.forward(error.username, { ...request, isWhole: true })
    return this.#onceReady<Outcome>(
      error,
      () => this.#make(request),
      cause =>
        error instanceof StoreNotReady ? this.#without(cause, request) : this.#recorded(cause, request)
    )
  }

  /** The file of the user could not be opened, so nothing has been done: whoever serves the user by now is asked instead. */
  #without(cause: unknown, request: Request): Promise<Outcome> | Outcome {
    const { accounts, shard } = this.services
    const { files = [], user } = request
    const isElsewhere = user !== undefined && accounts.findServed(user) && !accounts.owns({ username: user })
    // Files may have come from there, and cannot be sent once more.
    return isElsewhere && shard.peers && files.length === 0
      ? shard.peers.forward(user, request)
      : this.#recorded(cause, request)
  }

  #dispatch(request: Request): Promise<Outcome> | Outcome {
    const { user, method, params, credentials, isDocument, isWhole, files = [] } = request
    const compiled = this.stages.find(method)
    const { definition } = compiled
    if (files.length > 0) this.stages.requireFiles(definition)
    const service: ServiceCall = { services: this.services, credentials, now: this.services.clock.now() }
    if (definition.mode === 'service') return this.#serve(compiled, service, params)
    const account = this.#findAccount(definition, user ?? '')
    if (!account) return this.#withoutUser(compiled, service, user, params)
    const caller = this.stages.identify(account, credentials, compiled, service.now)
    const context = { compiled, account, caller, service, params, isWhole, isDocument }
    const execution = new Execution(this, context)
    const { authorizationStep } = this.services
    if (!authorizationStep || !caller.access) return execution.begin(files)
    return authorize(authorizationStep, account, caller, credentials).then(() => execution.beginLater(files))
  }

  /** Returns the account of a call: an open one, or for signing in also one that is scheduled for deletion. */
  #findAccount(definition: AnyMethod, username: string): Account | undefined {
    const { accounts } = this.services
    const found = accounts.find(username)
    return found || !('whileClosing' in definition) ? found : accounts.findClosing(username)
  }

  async #serve(compiled: Compiled, service: ServiceCall, params: unknown): Promise<Outcome> {
    const definition = compiled.definition as ServiceMethod
    const credentials = await withOperator(service, definition)
    const call: ServiceCall = { ...service, credentials }
    try {
      this.stages.admit(compiled, anonymous, credentials, params)
    } catch (error) {
      await recordRefused(definition, call, params, error)
      throw error
    }
    const known = this.#constants.get(definition.id)
    if (known !== undefined && isKnown(credentials, known)) return unchanged(known)
    const result = await runRecorded(definition, call, params)
    if (compiled.audited)
      this.stages.audit.recordSuccess(accountIn(this.services, params), compiled.audited, {
        caller: anonymous,
        credentials,
        now: call.now
      })
    const outcome = success(joinMembers(result), undefined, undefined, definition.facts?.(result))
    if (!definition.isConstant) return outcome
    const validator = validatorOf(outcome.members)
    this.#constants.set(definition.id, validator)
    return isKnown(credentials, validator) ? unchanged(validator) : { ...outcome, validator }
  }

  async #withoutUser(
    compiled: Compiled,
    service: ServiceCall,
    user: string | undefined,
    params: unknown
  ): Promise<Outcome> {
    const { definition } = compiled
    const { accounts } = this.services
    if (accounts.findClosing(user ?? '')) requireOpenAccount(this.services, user ?? '', service.credentials)
    if (isUnavailable(accounts, user ?? '') || !('unknownUser' in definition) || !definition.unknownUser)
      refuseUnknownUser(accounts, user ?? '')
    this.stages.admit(compiled, anonymous, service.credentials, params)
    return success(joinMembers(await definition.unknownUser(service, user ?? '', params)))
  }

  precheck(request: Omit<Request, 'params'>): Promise<Admittance | Failure> | Admittance | Failure {
    const { user, method, credentials } = request
    const { services } = this
    try {
      const { definition } = this.stages.find(method)
      if (definition.mode === 'service') {
        // Whose session it is takes longer to find out: the call does.
        if (!definition.allow.isForOperators || credentials.pageUser === undefined)
          definition.allow.check?.({
            services: this.services,
            caller: anonymous,
            credentials,
            params: undefined
          })
        return { ok: true, room: Infinity }
      }
      const account = requireOpenAccount(services, user ?? '', credentials)
      const store = services.accounts.store(account)
      if (definition.allow.needsAccess) {
        const now = services.clock.now()
        const { access } = store.read(() => authenticate({ services, account, store, credentials, now }))
        if (services.callLimit && access) services.callLimit.check(account, access)
      }
      return { ok: true, room: roomOf(this.services, account.username) }
    } catch (error) {
      return this.#onceReady<Admittance | Failure>(
        error,
        () => this.precheck(request),
        cause => this.#recorded(cause, request)
      )
    }
  }

  recheck(request: Request): Promise<Failure | undefined> | Failure | undefined {
    const { credentials, method, params, user } = request
    try {
      const { definition } = this.stages.find(method)
      const account = requireOpenAccount(this.services, user ?? '', credentials)
      const needed = definition.allow.needsAccess ? '' : undefined
      const reader = new Reading(this.services, account, credentials, needed).current()
      definition.allow.check?.({ services: this.services, caller: reader.caller, credentials, params })
      if (definition.mode === 'read') reader.store.read(() => definition.mayGoOn?.(reader, params))
      return undefined
    } catch (error) {
      return this.#onceReady<Failure | undefined>(
        error,
        () => this.recheck(request),
        cause => this.stages.failure(cause, method)
      )
    }
  }

  /** Does again, once the file can be opened, what failed because it could not be yet. Other errors are for `failed`. */
  #onceReady<T>(
    error: unknown,
    again: () => Promise<T> | T,
    failed: (error: unknown) => Promise<T> | T
  ): Promise<T> | T {
    return error instanceof StoreNotReady ? error.ready.then(again, failed) : failed(error)
  }

  #recorded(error: unknown, request: Omit<Request, 'params'>): Failure {
    const failure = this.stages.failure(error, request.method)
    this.stages.recordRefusal(request, failure)
    return failure
  }
}

/** Returns the account that the params of a method of the service name. */
function accountIn({ accounts }: Services, params: unknown): Account | undefined {
  const { username } = Object(params) as { username?: unknown }
  return typeof username === 'string' ? accounts.findServed(username.toLowerCase()) : undefined
}
