/** Executes one call of a user whose caller is known: check → prepare → run → durable → publish. */
import type { Attachment } from '../../schemas/event.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { removeOrphansAfterWrite } from '../events/attachment-sweep.js'
import { dropFiles, keepFiles } from '../events/attachments.js'
import { authenticate } from '../auth/authenticate.js'
import { Batch } from './batch.js'
import type { Caller } from '../permissions/caller.js'
import type { Changes } from '../changes.js'
import { sumExcess, hasListing, joinMembers } from '../json/json-text.js'
import { MemberWriter } from './result-writer.js'
import {
  createCall,
  type AnyMethod,
  type BatchMethod,
  type Call,
  type Result,
  type ServiceCall,
  type UserMethod
} from '../call/method.js'
import {
  isCachedByClient,
  toErrorAfterWrite,
  type Outcome,
  createSuccess,
  type Success,
  createUnchanged,
  type UploadedFile,
  addAccessId
} from '../call/outcome.js'
import { prepareCall } from './prepare-call.js'
import { ReadAuthorization, type ReadFacts } from './read-authorization.js'
import type { Compiled, Dispatch, Stages } from './stages.js'
import { maxTextInMemory, spoolResult, Remainder, targetTextLength, type SpoolTarget } from './remainder.js'
import { isLong, runUninterrupted, runWrite } from './run-write.js'
import { writeSteps, type Steps } from '../../storage/steps.js'
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'

/** The input of the execution of a call. */
interface CallContext {
  readonly compiled: Compiled
  readonly account: Account
  readonly caller: Caller
  readonly service: ServiceCall
  readonly params: unknown
  /** See `Request`. */
  readonly isWhole?: boolean | undefined
  readonly isDocument?: boolean | undefined
}

/** The files of a call, and what was prepared for it. */
interface Input {
  readonly files: readonly Attachment[]
  readonly prepared?: unknown
}

/** The outcome of a write before it is published. */
interface WriteResult {
  readonly changes: Changes
  readonly result: Result
  /** Whether it has deleted files. */
  readonly hasDeleted: boolean
}

/** Executes one call. */
export class Execution {
  readonly #services: Services
  readonly #stages: Stages

  constructor(
    private readonly dispatch: Dispatch,
    private readonly context: CallContext
  ) {
    this.#services = dispatch.stages.services
    this.#stages = dispatch.stages
  }

  /** Makes the call with its files. Errors contain the access of the caller. Reads without preparation return synchronously. */
  begin(files: readonly UploadedFile[]): Promise<Outcome> | Outcome {
    const { caller, compiled, params, service } = this.context
    this.#stages.checkCall(compiled, caller, service.credentials, params)
    try {
      const outcome = this.#run(files)
      if (!(outcome instanceof Promise)) return outcome
      return outcome.catch(error => {
        throw addAccessId(error, caller)
      })
    } catch (error) {
      throw addAccessId(error, caller)
    }
  }

  /** Like {@link begin}, for use after an await: authenticates the caller again, since the access may have ended. */
  async beginAfterWait(files: readonly UploadedFile[]): Promise<Outcome> {
    const caller = this.#currentCaller(this.context.compiled.definition)
    return await new Execution(this.dispatch, { ...this.context, caller }).begin(files)
  }

  #run(files: readonly UploadedFile[]): Promise<Outcome> | Outcome {
    const { definition } = this.context.compiled
    if (definition.mode === 'batch') return this.#runBatch(definition)
    if (definition.mode === 'service') throw new Error(`${definition.id} needs no user`)
    if (files.length > 0) return this.#runWithFiles(definition, files)
    if (definition.mode === 'read' && !definition.prepare)
      return this.#waitUntilReadable(this.#runRead(definition, this.context.caller, undefined))
    return this.#runMethod(definition, [])
  }

  async #runBatch(definition: BatchMethod): Promise<Outcome> {
    const { account, caller, compiled, params, service } = this.context
    const onEnd = (): void => this.#stages.recordSuccess(compiled, account, caller, service)
    const { credentials } = service
    const calls = definition.calls(params)
    return await new Batch(this.dispatch, { account, caller, credentials, calls, onEnd }).run()
  }

  /** Stores the files of a call; removes them if the call fails. */
  async #runWithFiles(definition: UserMethod, files: readonly UploadedFile[]): Promise<Outcome> {
    const stored = await keepFiles(this.#services, this.context.account, files)
    try {
      return await this.#runMethod(definition, stored)
    } catch (error) {
      await dropFiles(this.#services, this.context.account, stored)
      throw error
    }
  }

  async #runMethod(definition: UserMethod, files: readonly Attachment[]): Promise<Outcome> {
    const { account, caller, params, service } = this.context
    const run = (prepared?: unknown): Promise<Outcome> => this.#runPrepared(definition, { files, prepared })
    if (!definition.prepare || definition.needsPreparation?.(caller, params) === false) return await run()
    const call = createCall(service, { account, caller, store: this.#store })
    return await prepareCall(definition, call, params, run)
  }

  /** Runs a method with what was prepared for the call. After each wait the caller is authenticated again. */
  async #runPrepared(definition: UserMethod, input: Input): Promise<Outcome> {
    const { account, params, service } = this.context
    // While files were stored and the call prepared, the token may have been revoked, or the store closed.
    const currentCaller = this.#currentCaller(definition)
    if (definition.mode === 'read')
      return await this.#waitUntilReadable(this.#runRead(definition, currentCaller, input.prepared))
    const written = await this.#commitWrite(definition, input)
    try {
      const outcome = await this.#publishWrite(written, currentCaller)
      if (!service.credentials.isMember) await definition.settle?.(account, params, written.result)
      return outcome
    } catch (error) {
      throw toErrorAfterWrite(error)
    }
  }

  async #publishWrite({ changes, hasDeleted, result }: WriteResult, caller: Caller): Promise<Outcome> {
    const { account } = this.context
    this.#services.bus.publish(account, changes)
    if (this.#store.attachments.hasOrphans) await removeOrphansAfterWrite(this.#services, account, hasDeleted)
    return hasListing(result)
      ? await this.#spoolWriteResult(result, caller)
      : this.#toSuccess(result, caller, { isWritten: true })
  }

  /** Runs a write; in steps if it is large, or turns out to be large. */
  #commitWrite(definition: UserMethod, input: Input): Promise<WriteResult> {
    const store = this.#store
    return writeSteps(store, draft => this.#runWrite(definition, draft, input), {
      access: this.context.caller.access?.id,
      isLong: isLong(definition, store, this.context.params)
    })
  }

  /** Runs a method that writes, in steps. Throws what the method throws. */
  *#runWrite(definition: UserMethod, store: UserStore, { files, prepared }: Input): Steps<WriteResult> {
    const { account, compiled, params, service } = this.context
    const caller = this.#currentCaller(definition, store)
    const call = createCall(service, { account, caller, store, files })
    const hadOrphans = store.attachments.hasOrphans
    const result = yield* runWrite(definition, call, params, prepared)
    const draft = store.isDraft ? store : undefined
    this.#stages.recordSuccess(compiled, account, call.actor ?? caller, call, draft)
    return { changes: call.changes, result, hasDeleted: !hadOrphans && store.attachments.hasOrphans }
  }

  /** Runs a method that reads; only its validator if the client has the current result already. */
  #runRead(definition: UserMethod, caller: Caller, prepared: unknown): Outcome {
    const { account, compiled, params, service } = this.context
    const call = createCall(service, { account, caller, store: this.#store })
    const validator = this.#computeValidator(definition, call)
    if (validator !== undefined && isCachedByClient(service.credentials, validator)) {
      this.#stages.recordSuccess(compiled, account, caller, service)
      return createUnchanged(validator, caller.access?.id)
    }
    const result = call.store.read(() => runUninterrupted(definition, call, params, prepared))
    const outcome = this.#toReadOutcome(result, call, validator)
    this.#stages.recordSuccess(compiled, account, call.actor ?? caller, call)
    return outcome
  }

  /** Returns the outcome of a read once the data that it contains is durable. */
  #waitUntilReadable(outcome: Outcome): Promise<Outcome> | Outcome {
    const gate = this.#store.waitUntilReadable()
    return gate ? gate.then(() => outcome) : outcome
  }

  #computeValidator(definition: UserMethod, call: Call): string | undefined {
    const { params, service } = this.context
    if (service.credentials.via !== 'http' || !definition.isCacheable?.(params)) return undefined
    const hidden = definition.hiddenState && call.store.read(() => definition.hiddenState!(call, params))
    return this.#stages.validators.compute(call, definition.id, params, hidden)
  }

  /** Returns the current caller: the same object unless accesses have changed. A token that was revoked in the meantime does not count as a failed authentication. */
  #currentCaller({ allow }: AnyMethod, store = this.#store): Caller {
    const { account, caller, service } = this.context
    if (!allow.needsAccess || caller.isCurrent(store)) return caller
    const { credentials, now } = service
    return authenticate({ services: this.#services, account, store, credentials, now, isUse: false })
  }

  /** Creates the outcome of a read: the first page, with the rest as a `remainder`. */
  #toReadOutcome(result: Result, { caller, auditScope }: Call, validator?: string): Outcome {
    if (!hasListing(result)) {
      if (auditScope) auditScope.isOpen = false
      return this.#toSuccess(result, caller, auditScope, validator)
    }
    const facts = this.context.isDocument ? this.context.compiled.definition.facts?.(result) : undefined
    const writer = new MemberWriter(result, auditScope)
    const store = this.#store
    store.read(() => writer.write({ store, caller }))
    const { isBlocked } = writer
    let text = ''
    // A complete result is stored in memory even while it waits to be assembled.
    if (this.context.isWhole) text = writer.takeAll()
    // A page that is too large for memory is spooled as a whole.
    else if (writer.size <= maxTextInMemory) text = writer.takeChunk()
    let cut: number | undefined
    if (isBlocked && text !== '' && text.length < targetTextLength) {
      // If the rest is short, it is written now, so that the result is sent in two chunks.
      store.read(() => writer.write({ store, caller }))
      if (writer.isDone && text.length + writer.size < targetTextLength) {
        cut = text.length
        text += writer.takeAll()
      }
    }
    return {
      ok: true,
      members: text,
      extraBytes: writer.extraBytes,
      remainder: writer.isTaken
        ? undefined
        : new Remainder(this.#createReading(caller, auditScope), this.#spools, { writer }),
      isList: true,
      items: () => writer.itemCount,
      accessId: caller.access?.id,
      validator,
      cut,
      facts
    }
  }

  /** Creates the outcome of a write whose result has a list. It is sent even if the access ends, and reads nothing later. */
  async #spoolWriteResult(result: Result, caller: Caller): Promise<Outcome> {
    const writer = new MemberWriter(result)
    const reading = this.#createReading(caller, { isWritten: true })
    const reader = { store: this.#store, caller }
    const spool = await spoolResult(this.#services.spools, writer, reader, reading.party)
    const accessId = caller.access?.id
    if (spool.isShort) return createSuccess(await spool.next(), accessId)
    return { ...createSuccess('', accessId), remainder: new Remainder(reading, this.#spools, { spool }) }
  }

  #toSuccess(result: Result, caller: Caller, read?: ReadFacts, validator?: string): Success {
    const accessId = caller.access?.id
    const text = joinMembers(result)
    const facts = this.context.compiled.definition.facts?.(result)
    if (text.length <= maxTextInMemory || this.context.isWhole)
      return createSuccess(text, accessId, validator, facts, sumExcess(result))
    const spool = this.#services.spools.open()
    spool.add(text)
    const remainder = new Remainder(this.#createReading(caller, read), this.#spools, { spool })
    return { ...createSuccess('', accessId, validator, facts), remainder }
  }

  #createReading({ access }: Caller, { copies, isWritten }: ReadFacts = {}): ReadAuthorization {
    const { account, service } = this.context
    const reading = new ReadAuthorization(this.#services, account, service.credentials, access?.id, copies)
    if (isWritten) reading.noteWrite()
    return reading
  }

  /** The store of the account, which may change after an await. */
  get #store(): UserStore {
    return this.#services.accounts.openStore(this.context.account)
  }

  /** The spools for slow clients; `undefined` for a result that is sent at once. */
  get #spools(): SpoolTarget {
    return this.context.isWhole ? undefined : this.#services.spools
  }
}
