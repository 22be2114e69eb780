/** The stages of a call, each standing once: calls alone and those of a batch go through the same. */
import type { Attachment } from '../../schemas/event.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { AuditTrail, type Audited } from '../audit/trail.js'
import { authenticate } from '../auth/authenticate.js'
import type { Credentials } from '../call/credentials.js'
import { aliases, removed } from '../call/method-names.js'
import type { AnyMethod, Call, ServiceCall } from '../call/method.js'
import { failureOf, withAccess, type Failure, type Outcome, type Request } from '../call/outcome.js'
import type { Services } from '../call/services.js'
import { Changes } from '../changes.js'
import { fail } from '../errors.js'
import { mustBeShallow } from '../json/depth.js'
import { Caller } from '../permissions/caller.js'
import { checker, refuseParams } from '../validation/params.js'
import { Validators } from './validators.js'
import type { Account } from '../../storage/platform/account.js'

/** A method, ready to be called. */
export interface Compiled {
  readonly definition: AnyMethod
  /** Raises `invalid-parameters-format`. */
  readonly check: (params: unknown) => void
  /** How its calls are recorded; `undefined` if they are not. */
  readonly audited: Audited | undefined
}

/** What makes calls, as their parts see it. */
export interface Dispatch {
  readonly stages: Stages
  /** Makes one call whose result is put together as a whole. */
  callWhole(request: Request): Promise<Outcome>
}

export class Stages {
  readonly #methods = new Map<string, Compiled>()
  readonly audit: AuditTrail
  readonly validators: Validators
  constructor(
    readonly core: Services,
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
}

const outOfRange = { code: 'INVALID_TYPE', message: 'A number is too large to be kept', path: '#' }

/** Who has not shown anything. */
export const anonymous = new Caller(undefined as never, undefined)
