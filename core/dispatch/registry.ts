/**
 * The single path that every call takes, whatever brought it: authenticate → allow → validate, and then what
 * core/dispatch/execution.ts does: prepare → run → durable → publish. It never rejects.
 */
import type { Attachment } from '../../schemas/event.js'
import { AccountElsewhere } from '../../storage/errors.js'
import type { Account } from '../../storage/platform/platform-store.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { AuditTrail, type Audited } from '../audit/trail.js'
import { authenticate, authorize } from '../auth/authenticate.js'
import { Caller } from '../permissions/caller.js'
import { Changes } from '../changes.js'
import { mustBeShallow } from '../json/depth.js'
import { fail } from '../errors.js'
import { Execution } from './execution.js'
import { FairTurns } from '../security/fair-turns.js'
import type { Gateway } from '../call/gateway.js'
import { members } from '../json/json-text.js'
import { aliases, removed } from '../call/method-names.js'
import type { AnyMethod, Call, Core, Credentials, ServiceCall, ServiceMethod } from '../call/method.js'
import {
  failureOf,
  isKnown,
  success,
  unchanged,
  withAccess,
  type Failure,
  type Outcome,
  type Request
} from '../call/outcome.js'
import { roomOf } from './quota.js'
import { Reading } from './reader.js'
import { unknownUser } from '../platform/unknown-user.js'
import { checker, refuseParams } from '../validation/params.js'
import { Validators, validatorOf } from './validators.js'

/** Long results that are put together at a time. */
const gatheringsAtOnce = 4

/** A method, ready to be called. */
export interface Compiled {
  readonly definition: AnyMethod
  /** Raises `invalid-parameters-format`. */
  readonly check: (params: unknown) => void
  /** How its calls are recorded; `undefined` if they are not. */
  readonly audited: Audited | undefined
}

export class Registry implements Gateway {
  readonly #methods = new Map<string, Compiled>()
  readonly #gatherings = new FairTurns(gatheringsAtOnce)
  readonly audit: AuditTrail
  readonly validators: Validators
  /** Validators of what is always the same, by method id. */
  readonly #constants = new Map<string, string>()

  constructor(
    readonly core: Core,
    definitions: readonly AnyMethod[]
  ) {
    this.audit = new AuditTrail(core, definitions)
    this.validators = new Validators(core)
    for (const definition of definitions) {
      if (this.#methods.has(definition.id)) throw new Error(`Method ${definition.id} is defined twice`)
      this.#methods.set(definition.id, {
        definition,
        check: checker(definition.params),
        audited: this.audit.of(definition)
      })
    }
  }

  /** The definitions of all methods, in the order of the list. */
  get definitions(): AnyMethod[] {
    return [...this.#methods.values()].map(({ definition }) => definition)
  }

  /**
   * Makes one call. Never rejects, never throws; what has not had to wait is answered at once. `isWhole`: whether the answer
   * is taken at once, all of it.
   */
  call(request: Request, isWhole = false): Promise<Outcome> | Outcome {
    try {
      const outcome = this.#dispatch(request, isWhole)
      return outcome instanceof Promise ? outcome.catch(error => this.#refused(error, request)) : outcome
    } catch (error) {
      return this.#refused(error, request)
    }
  }

  /** As {@link call}, with the result in one piece. Further error: `too-many-results`. (service.md, Limits) */
  async callWhole(request: Request): Promise<Outcome> {
    const outcome = await this.call(request, true)
    if (!outcome.ok) return outcome
    const { batchResultItems, batchResultBytes } = this.core.config.limits
    const { accessId, items = () => 0, rest } = outcome
    if (!rest && items() <= batchResultItems && outcome.members.length <= batchResultBytes) return outcome
    let text = outcome.members
    const mustBeSmall = (): void => {
      if (items() > batchResultItems || text.length > batchResultBytes) fail('too-many-results')
    }
    const gather = async (): Promise<void> => {
      mustBeSmall()
      for await (const more of rest ?? []) {
        text += more
        mustBeSmall()
      }
    }
    try {
      // Begun all at once, the results of some calls would fill the memory before the first one can leave.
      await this.#gatherings.run(request.user ?? '', gather)
      return success(text, accessId)
    } catch (error) {
      await rest?.return()
      return { ...this.failure(error, request.method), ...(accessId === undefined ? {} : { accessId }) }
    }
  }

  /** The method of an id; errors: `invalid-method`, `removed-method`. */
  find(id: string): Compiled {
    return (
      this.#methods.get(aliases.get(id) ?? id) ??
      fail(removed.has(id) ? 'removed-method' : 'invalid-method', `No method "${id.slice(0, 100)}"`)
    )
  }

  /** What a thrown thing is to the caller. What is not meant for callers is logged and becomes a general error. */
  failure(thrown: unknown, method: string): Failure {
    return failureOf(this.core.log, thrown, method)
  }

  /** The caller of credentials, counted as having called `method`. */
  identify(account: Account, credentials: Credentials, { definition }: Compiled, now: number): Caller {
    const store = this.core.accounts.store(account)
    if (!definition.allow.needsAccess) return new Caller(store, undefined)
    const caller = store.read(() => authenticate(this.core, account, store, credentials, now))
    if (this.core.callLimit && caller.access) this.core.callLimit.count(account, caller.access)
    if (this.core.config.accessTracking) store.usage.record(caller.accessId, definition.id, now)
    return caller
  }

  /** The stages between authentication and run that do not wait. */
  admit(compiled: Compiled, caller: Caller, credentials: Credentials, params: unknown): void {
    try {
      const { definition } = compiled
      const { jsonContainers, jsonDepth } = this.core.config.limits
      const isSound = definition.boundsDepth || mustBeShallow(params, jsonDepth, jsonContainers)
      definition.allow.check?.({ core: this.core, caller, credentials, params })
      compiled.check(params)
      // Members of a batch are looked at one by one.
      if (!isSound && definition.mode !== 'batch') refuseParams([outOfRange])
    } catch (error) {
      throw withAccess(error, caller)
    }
  }

  #refused(error: unknown, request: Request): Promise<Outcome> | Outcome {
    // A method of the service has come upon a user whose file is open in another thread: it begins anew there.
    const { neighbours } = this.core.share
    if (error instanceof AccountElsewhere && neighbours) return neighbours.forward(error.username, request)
    const failure = this.failure(error, request.method)
    this.recordRefusal(request, failure)
    return failure
  }

  #dispatch(request: Request, isWhole: boolean): Promise<Outcome> | Outcome {
    const { user, method, params, credentials, files = [] } = request
    const compiled = this.find(method)
    const { definition } = compiled
    const now = this.core.clock.now()
    const service: ServiceCall = { core: this.core, credentials, now }
    if (files.length > 0) mustTakeFiles(definition)
    if (definition.mode === 'service') return this.#serve(compiled, service, params)
    const account = this.core.accounts.find(user ?? '')
    if (!account) return this.#withoutUser(compiled, service, user, params)
    const caller = this.identify(account, credentials, compiled, now)
    const execution = new Execution(this, compiled, account, caller, service, params, isWhole)
    const { authorizationStep } = this.core
    if (!authorizationStep || !caller.access) return execution.begin(files)
    return authorize(authorizationStep, account, caller, credentials).then(() => execution.beginLater(files))
  }

  async #serve(compiled: Compiled, service: ServiceCall, params: unknown): Promise<Outcome> {
    const { credentials, now } = service
    this.admit(compiled, anonymous, credentials, params)
    const definition = compiled.definition as ServiceMethod
    const known = this.#constants.get(definition.id)
    if (known !== undefined && isKnown(credentials, known)) return unchanged(known)
    const result = await definition.run(service, params)
    if (compiled.audited)
      this.audit.succeeded(named(this.core, params), compiled.audited, credentials, anonymous, now)
    const outcome = success(members(result))
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
    const { accounts } = this.core
    const hasMoved = accounts.relocatedTo(user ?? '') !== undefined
    if (hasMoved || !('unknownUser' in definition) || !definition.unknownUser)
      unknownUser(accounts, user ?? '')
    this.admit(compiled, anonymous, service.credentials, params)
    return success(members(await definition.unknownUser(service, user ?? '', params)))
  }

  /** Notes for the audit that a call has run; of one that writes, within its transaction. */
  record(
    { audited }: Compiled,
    account: Account,
    caller: Caller,
    { credentials, now }: ServiceCall,
    store?: UserStore
  ): void {
    if (audited) this.audit.succeeded(account, audited, credentials, caller, now, store)
  }

  /** Notes for the audit that a call was refused. */
  recordRefusal({ credentials, method, user }: Omit<Request, 'params'>, { error }: Failure): void {
    const audited = this.#methods.get(aliases.get(method) ?? method)?.audited
    if (audited) this.audit.failed(this.core.accounts.find(user ?? ''), audited, credentials, error)
  }

  /** A fresh `Call`. */
  callOf(
    account: Account,
    caller: Caller,
    service: ServiceCall,
    files: readonly Attachment[] = [],
    store = this.core.accounts.store(account)
  ): Call {
    // Named one by one: this is on every path, and a spread costs as much as a query.
    const { core, credentials, now } = service
    return { core, credentials, now, account, caller, store, changes: new Changes(store.streams), files }
  }

  /** Refuses at once who could not make the call anyway: before an upload, say. Answers the refusal. */
  precheck(request: Omit<Request, 'params'>): Failure | undefined {
    const { user, method, credentials } = request
    try {
      const { definition } = this.find(method)
      if (definition.mode === 'service') {
        definition.allow.check?.({ core: this.core, caller: anonymous, credentials, params: undefined })
        return undefined
      }
      const account = this.core.accounts.find(user ?? '') ?? unknownUser(this.core.accounts, user ?? '')
      const store = this.core.accounts.store(account)
      if (definition.allow.needsAccess) {
        const now = this.core.clock.now()
        const { access } = store.read(() => authenticate(this.core, account, store, credentials, now))
        if (this.core.callLimit && access) this.core.callLimit.check(account, access)
      }
      return undefined
    } catch (error) {
      const failure = this.failure(error, method)
      this.recordRefusal(request, failure)
      return failure
    }
  }

  recheck({ credentials, method, params, user }: Request): Failure | undefined {
    try {
      const { definition } = this.find(method)
      const account = this.core.accounts.find(user ?? '') ?? unknownUser(this.core.accounts, user ?? '')
      const reader = new Reading(this.core, account, credentials, definition.allow.needsAccess).current()
      definition.allow.check?.({ core: this.core, caller: reader.caller, credentials, params })
      if (definition.mode === 'read') reader.store.read(() => definition.mayGoOn?.(reader, params))
      return undefined
    } catch (error) {
      return this.failure(error, method)
    }
  }

  /** Bytes that still fit into the account of an existing user; `Infinity` without a quota. */
  room(username: string): number {
    return roomOf(this.core, username)
  }
}

function mustTakeFiles(definition: AnyMethod): void {
  if (!('takesFiles' in definition) || !definition.takesFiles)
    fail('invalid-request-structure', `"${definition.id}" takes no files.`)
}

/** The account that params of a method of the service name. */
function named({ accounts }: Core, params: unknown): Account | undefined {
  const { username } = Object(params) as { username?: unknown }
  return typeof username === 'string' ? accounts.find(username.toLowerCase()) : undefined
}

const outOfRange = { code: 'INVALID_TYPE', message: 'A number is too large to be kept', path: '#' }

const anonymous = new Caller(undefined as never, undefined)
