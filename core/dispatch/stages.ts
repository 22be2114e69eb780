/** Implements the stages of a call, for single calls and those in a batch. */
import type { UserStore } from '../../storage/user/user-store.js'
import { AuditTrail, type AuditedMethod } from '../audit/trail.js'
import { authenticate } from '../auth/authenticate.js'
import { getBoundKey } from '../auth/oauth-marks.js'
import type { Credentials } from '../call/credentials.js'
import { methodAliases, removedMethods, type AnyMethod, type Call, type ServiceCall } from '../call/method.js'
import { toFailure, addAccessId, type Failure, type Outcome, type Request } from '../call/outcome.js'
import type { Services } from '../call/services.js'
import { ApiError, fail, quoteText } from '../errors.js'
import { assertStreamsQuery } from '../events/streams-query.js'
import { assertDepth } from '../json/depth.js'
import { Caller } from '../permissions/caller.js'
import { getCapability } from '../permissions/peer-access.js'
import { createChecker, refuseParams } from '../validation/params.js'
import { Validators } from './validators.js'
import type { Account } from '../../storage/platform/account.js'

/** Methods of series, which bound tokens cannot call. (docs/api/oauth.md#proof-of-possession) */
const seriesPrefix = 'hfs.'

/** Methods for strangers who hold the link of an offer. (docs/spec/consent.md#offers) */
const linkMethods: ReadonlySet<string> = new Set([
  'callBatch',
  'events.create',
  'events.get',
  'getAccessInfo',
  'streams.get'
])

/** A method, prepared for calls. */
export interface Compiled {
  readonly definition: AnyMethod
  /** Validates params. Error: `invalid-parameters-format`. */
  readonly check: (params: unknown) => void
  /** How calls are audited; `undefined` if they are not. */
  readonly audited: AuditedMethod | undefined
}

/** Makes calls, for parts of the dispatcher. */
export interface Dispatch {
  readonly stages: Stages
  /** Dispatches a call. Never throws or rejects: errors are outcomes. */
  call(request: Request): Promise<Outcome> | Outcome
}

/** The stages that single calls and calls of a batch share. */
export class Stages {
  readonly #methods = new Map<string, Compiled>()
  /** Ids of methods that the settings remove from the API. */
  readonly #removed = new Set<string>()
  readonly audit: AuditTrail
  readonly validators: Validators
  constructor(
    readonly services: Services,
    definitions: readonly AnyMethod[]
  ) {
    this.audit = new AuditTrail(services, definitions)
    this.validators = new Validators(services)
    for (const definition of definitions) {
      if (definition.isRemoved?.(services.config)) {
        this.#removed.add(definition.id)
        continue
      }
      if (this.#methods.has(definition.id)) throw new Error(`Method ${definition.id} is defined twice`)
      this.#methods.set(definition.id, {
        definition,
        check: createChecker(definition.params),
        audited: this.audit.getAudited(definition)
      })
    }
  }

  /** Returns the definitions of all methods, in the order of the list. */
  get definitions(): AnyMethod[] {
    return [...this.#methods.values()].map(({ definition }) => definition)
  }

  /** Returns the method with this id. Errors: `invalid-method`, `removed-method`. */
  find(id: string): Compiled {
    const isRemoved = removedMethods.has(id) || this.#removed.has(id)
    return (
      this.#methods.get(methodAliases.get(id) ?? id) ??
      fail(isRemoved ? 'removed-method' : 'invalid-method', `No method ${quoteText(id)}`)
    )
  }

  /** Requires a method that accepts files. Error: `invalid-request-structure`. */
  requireFiles(definition: AnyMethod): void {
    if (!('takesFiles' in definition) || !definition.takesFiles)
      fail('invalid-request-structure', `"${definition.id}" does not accept files`)
  }

  /** Converts a thrown value to a failure. Internal errors are logged and replaced by `unexpected-error`. */
  toFailure(thrown: unknown, method: string): Failure {
    return toFailure(this.services.log, thrown, method)
  }

  /**
   * Authenticates the caller. The first time also counts the call towards the limit of its access, and
   * records that the access was used. Without a token, methods that need none get a caller without access.
   * Throws as {@link authenticate} does, `too-many-requests`, and `invalid-access-token` for series with a
   * token that is bound to a key.
   */
  authenticateCaller(
    account: Account,
    credentials: Credentials,
    { definition }: Compiled,
    now: number
  ): Caller {
    const store = this.services.accounts.openStore(account)
    if (!definition.allow.needsAccess) return new Caller(store, undefined)
    // The token of a batch was valid when it began. If it was revoked since, this is not a failed authentication.
    const isUse = !credentials.isMember
    const caller = store.read(() =>
      authenticate({ services: this.services, account, store, credentials, now, isUse })
    )
    if (definition.id.startsWith(seriesPrefix) && caller.access && getBoundKey(caller.access) !== undefined)
      throw addAccessId(
        new ApiError('invalid-access-token', 'Series cannot be used with a token that is bound to a key', {
          needsProof: true
        }),
        caller
      )
    if (credentials.isCounted) return caller
    if (this.services.callLimit && caller.access) this.services.callLimit.count(account, caller.access)
    if (this.services.config.accessTracking) store.usage.record(caller.accessId, definition.id, now)
    return caller
  }

  /**
   * Checks a call after its authentication: the depth of its params, the access rule, the schema, the query of streams. Throws
   * `forbidden`, `invalid-parameters-format`, `invalid-request-structure` and what the access rule throws, with the access of the caller.
   */
  checkCall(compiled: Compiled, caller: Caller, credentials: Credentials, params: unknown): void {
    try {
      const { definition } = compiled
      if (getCapability(caller.access) && !linkMethods.has(definition.id))
        fail('forbidden', 'The link of an offer cannot be used for this')
      const { jsonContainers, jsonDepth, queryIds } = this.services.config.limits
      const isWithinRange = definition.limitsDepth || assertDepth(params, jsonDepth, jsonContainers)
      definition.allow.check?.({ services: this.services, caller, credentials, params })
      compiled.check(params)
      // The calls of a batch are checked individually.
      if (!isWithinRange && definition.mode !== 'batch') refuseParams([outOfRange])
      if (definition.mode === 'read')
        assertStreamsQuery((params as { streams?: unknown } | null)?.streams, queryIds)
    } catch (error) {
      throw addAccessId(error, caller)
    }
  }

  /**
   * Records a call that has run in the audit. `store`: of a write, which is recorded within its transaction. Reads of data
   * that was copied from other accounts are also noted, for the reports to their owners.
   */
  recordSuccess(
    { audited }: Compiled,
    account: Account,
    caller: Caller,
    { credentials, now, provider, auditScope: scope }: ServiceCall & Partial<Call>,
    store?: UserStore
  ): void {
    if (scope?.copies) this.services.copyReads.note(account, caller, scope)
    if (audited)
      this.audit.recordSuccess(account, audited, {
        caller,
        credentials,
        now,
        provider,
        auditScope: scope,
        store
      })
  }

  /** Records a refused call in the audit. */
  recordRefusal({ credentials, method, user }: Omit<Request, 'params'>, { error }: Failure): void {
    const audited = this.#methods.get(methodAliases.get(method) ?? method)?.audited
    if (audited)
      this.audit.recordFailure(this.services.accounts.findServed(user ?? ''), audited, credentials, error)
  }
}

const outOfRange = { code: 'INVALID_TYPE', message: 'A number is too large to be stored', path: '#' }

/** The caller of calls without credentials. */
export const anonymousCaller = new Caller(undefined as never, undefined)
