/**
 * The single path that every call takes, whatever brought it:
 * authenticate → allow → validate → prepare → run → durable → publish. It never rejects.
 */
import type { Attachment } from '../schemas/event.js'
import { AccountElsewhere } from '../storage/errors.js'
import type { Account } from '../storage/platform-store.js'
import type { UserStore } from '../storage/user-store.js'
import { AuditTrail, type Audited } from './audit/trail.js'
import { authenticate, authorize } from './authenticate.js'
import { removeOrphans } from './attachment-sweep.js'
import { dropFiles, keepFiles, type UploadedFile } from './attachments.js'
import { Batch } from './batch.js'
import { Caller } from './caller.js'
import { Changes } from './changes.js'
import { mustBeShallow } from './depth.js'
import { fail } from './errors.js'
import type { Gateway } from './gateway.js'
import { isListing, members } from './json.js'
import { aliases, removed } from './method-names.js'
import { MemberWriter } from './member-writer.js'
import type { AnyMethod, Call, Core, Credentials, Result, ServiceCall, UserMethod } from './method.js'
import { failureOf, success, withAccess, type Failure, type Outcome, type Request } from './outcome.js'
import { roomOf } from './quota.js'
import { restOf } from './rest.js'
import { runInSteps, runWrite } from './run-write.js'
import { isMuch, type Steps } from './steps.js'
import { unknownUser } from './unknown-user.js'
import { checker, refuseParams } from './validation.js'

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
  readonly audit: AuditTrail

  constructor(
    readonly core: Core,
    definitions: readonly AnyMethod[]
  ) {
    this.audit = new AuditTrail(core, definitions)
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

  /** Makes one call. Never rejects. */
  async call(request: Request): Promise<Outcome> {
    try {
      return await this.#dispatch(request)
    } catch (error) {
      // A method of the service has come upon a user whose file is open in another thread: it begins anew there.
      const { neighbours } = this.core.share
      if (error instanceof AccountElsewhere && neighbours)
        return await neighbours.forward(error.username, request)
      const failure = this.failure(error, request.method)
      this.recordRefusal(request, failure)
      return failure
    }
  }

  /** As {@link call}, with the result in one piece. Further error: `too-many-results`. (service.md, Limits) */
  async callWhole(request: Request): Promise<Outcome> {
    const outcome = await this.call(request)
    if (!outcome.ok) return outcome
    const { batchResultItems, batchResultBytes } = this.core.config.limits
    const { accessId, items = () => 0, rest } = outcome
    if (!rest && items() <= batchResultItems && outcome.members.length <= batchResultBytes) return outcome
    let text = outcome.members
    const mustBeSmall = (): void => {
      if (items() > batchResultItems || text.length > batchResultBytes) fail('too-many-results')
    }
    try {
      mustBeSmall()
      for await (const more of rest ?? []) {
        text += more
        mustBeSmall()
      }
      return success(text, accessId)
    } catch (error) {
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

  async #dispatch({ user, method, params, credentials, files = [] }: Request): Promise<Outcome> {
    const compiled = this.find(method)
    const { definition } = compiled
    const now = this.core.clock.now()
    const service: ServiceCall = { core: this.core, credentials, now }
    if (files.length > 0) mustTakeFiles(definition)
    if (definition.mode === 'service') {
      this.admit(compiled, anonymous, credentials, params)
      const result = await definition.run(service, params)
      if (compiled.audited)
        this.audit.succeeded(named(this.core, params), compiled.audited, credentials, anonymous, now)
      return { ok: true, members: members(result) }
    }
    const account = this.core.accounts.find(user ?? '')
    if (!account) return await this.#withoutUser(compiled, service, user, params)
    const caller = this.identify(account, credentials, compiled, now)
    const { authorizationStep } = this.core
    if (authorizationStep && caller.access) await authorize(authorizationStep, account, caller, credentials)
    this.admit(compiled, caller, credentials, params)
    const accessId = caller.access?.id
    try {
      if (definition.mode === 'batch') {
        const end = (): void => this.record(compiled, account, caller, service)
        const batch = new Batch(this, account, caller, credentials, definition.calls(params), end)
        return (await batch.run()).outcome(accessId)
      }
      if (files.length === 0) return await this.#runOne(compiled, account, caller, service, params, [])
      return await this.#withFiles(files, account, kept =>
        this.#runOne(compiled, account, caller, service, params, kept)
      )
    } catch (error) {
      throw withAccess(error, caller)
    }
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

  async #runOne(
    compiled: Compiled,
    account: Account,
    caller: Caller,
    service: ServiceCall,
    params: unknown,
    files: readonly Attachment[]
  ): Promise<Outcome> {
    const definition = compiled.definition as UserMethod
    let prepared: unknown
    let current = caller
    // Putting files in place has waited; so does preparing.
    if (files.length > 0) current = this.#again(account, service, definition, caller)
    if (definition.prepare) {
      prepared = await definition.prepare(this.callOf(account, caller, service), params)
      // While it waited the token may have been revoked, and the file closed.
      current = this.#again(account, service, definition, caller)
    }
    const store = this.core.accounts.store(account)
    if (definition.mode === 'read') {
      const result = store.read(() =>
        definition.run(this.callOf(account, current, service), params, prepared)
      )
      this.record(compiled, account, current, service)
      return this.#answer(result, account, current)
    }
    const { changes, result } = isMuch(definition, store, params)
      ? await store.writeInSteps(draft => this.#inSteps(compiled, account, caller, service, params, draft))
      : await store.write(() => {
          const call = this.callOf(account, this.#again(account, service, definition, caller), service, files)
          const written = runWrite(definition, call, params, prepared)
          this.record(compiled, account, call.caller, service)
          return { changes: call.changes, result: written }
        })
    this.core.bus.publish(account.username, changes)
    if (this.core.accounts.store(account).attachments.hasOrphans) await removeOrphans(this.core, account)
    return this.#answer(result, account, current)
  }

  /** A call in steps, in a store that is its own meanwhile. */
  *#inSteps(
    compiled: Compiled,
    account: Account,
    caller: Caller,
    service: ServiceCall,
    params: unknown,
    store: UserStore
  ): Steps<{ changes: Changes; result: Result }> {
    const definition = compiled.definition as UserMethod
    const current = this.#again(account, service, definition, caller, store)
    const call = this.callOf(account, current, service, [], store)
    const result = yield* runInSteps(definition, call, definition.steps!, params)
    this.record(compiled, account, current, service, store)
    return { changes: call.changes, result }
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

  /** Bytes that still fit into the account of an existing user; `Infinity` without a quota. */
  room(username: string): number {
    return roomOf(this.core, username)
  }

  /** Puts files in place for a call; if it fails they go again. */
  async #withFiles(
    files: readonly UploadedFile[],
    account: Account,
    run: (kept: readonly Attachment[]) => Promise<Outcome>
  ): Promise<Outcome> {
    const kept = await keepFiles(this.core, account, files)
    try {
      return await run(kept)
    } catch (error) {
      await dropFiles(this.core, account, kept)
      throw error
    }
  }

  /** The caller as things stand now: the same one unless accesses have changed since. */
  #again(
    account: Account,
    { credentials, now }: ServiceCall,
    { allow }: UserMethod,
    caller: Caller,
    store = this.core.accounts.store(account)
  ): Caller {
    if (!allow.needsAccess) return caller
    return caller.isCurrent(store) ? caller : authenticate(this.core, account, store, credentials, now)
  }

  /** An outcome of a result: its first page at once, what is longer as a `rest`. */
  #answer(result: Result, account: Account, caller: Caller): Outcome {
    const accessId = caller.access?.id
    if (!Object.values(result).some(isListing)) return success(members(result), accessId)
    const writer = new MemberWriter(result)
    const store = this.core.accounts.store(account)
    store.read(() => writer.write(store))
    const { excess } = writer
    const first = { ...success(writer.takeSome(), accessId), excess, items: () => writer.items }
    return writer.isTaken ? first : { ...first, rest: restOf(this.core, writer, account) }
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
