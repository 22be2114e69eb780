/** One call of a user whose caller is known: admit → prepare → run → durable → publish. */
import type { Attachment } from '../../schemas/event.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { removeOrphans } from '../events/attachment-sweep.js'
import { dropFiles, keepFiles } from '../events/attachments.js'
import { authenticate } from '../auth/authenticate.js'
import { Batch } from './batch.js'
import type { Caller } from '../permissions/caller.js'
import type { Changes } from '../changes.js'
import { sumExcess, hasListing, joinMembers } from '../json/json-text.js'
import { MemberWriter } from './result-writer.js'
import type { AnyMethod, BatchMethod, Call, Result, ServiceCall, UserMethod } from '../call/method.js'
import {
  isKnown,
  onceWritten,
  type Outcome,
  success,
  type Success,
  unchanged,
  type UploadedFile,
  withAccess
} from '../call/outcome.js'
import { Reading } from './reader.js'
import type { Compiled, Dispatch, Stages } from './stages.js'
import { maxInMemory, putAside, Remainder, textSize, type Aside } from './remainder.js'
import { isMuch, runInSteps, runWrite } from './run-write.js'
import { TooManyToEvaluate } from '../notifications/webhook-queue.js'
import { type Steps } from '../../storage/steps.js'
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'

/** What a write has done. */
interface Written {
  readonly changes: Changes
  readonly result: Result
}

export class Execution {
  readonly #services: Services
  readonly #stages: Stages

  /** `isWhole`: whether the whole result is wanted in one piece. `isDocument`: see `Request`. */
  constructor(
    private readonly dispatch: Dispatch,
    private readonly compiled: Compiled,
    private readonly account: Account,
    private caller: Caller,
    private readonly service: ServiceCall,
    private readonly params: unknown,
    private readonly isWhole: boolean,
    private readonly isDocument = false
  ) {
    this.#services = dispatch.stages.services
    this.#stages = dispatch.stages
  }

  /**
   * Makes the call with its files. Errors carry the access of the caller. Reads that need no preparation return
   * synchronously.
   */
  begin(files: readonly UploadedFile[]): Promise<Outcome> | Outcome {
    const { caller, compiled, params, service } = this
    this.#stages.admit(compiled, caller, service.credentials, params)
    try {
      const outcome = this.#run(files)
      if (!(outcome instanceof Promise)) return outcome
      return outcome.catch(error => {
        throw withAccess(error, caller)
      })
    } catch (error) {
      throw withAccess(error, caller)
    }
  }

  /** Like {@link onInterval}, after something asynchronous: the access may have ended in the meantime. */
  async beginLater(files: readonly UploadedFile[]): Promise<Outcome> {
    this.caller = this.#currentCaller(this.compiled.definition)
    return await this.begin(files)
  }

  #run(files: readonly UploadedFile[]): Promise<Outcome> | Outcome {
    const { definition } = this.compiled
    if (definition.mode === 'batch') return this.#batch(definition)
    if (definition.mode === 'service') throw new Error(`${definition.id} needs no user`)
    if (files.length > 0) return this.#withFiles(definition, files)
    if (definition.mode === 'read' && !definition.prepare)
      return this.#gated(this.#read(definition, this.caller, undefined))
    return this.#runOne(definition, [])
  }

  async #batch(definition: BatchMethod): Promise<Outcome> {
    const { account, caller, compiled, params, service } = this
    const end = (): void => this.#stages.record(compiled, account, caller, service)
    const batch = new Batch(
      this.dispatch,
      account,
      caller,
      service.credentials,
      definition.calls(params),
      end
    )
    return await batch.run()
  }

  /** Moves files to their place for the call; removes them if it fails. */
  async #withFiles(definition: UserMethod, files: readonly UploadedFile[]): Promise<Outcome> {
    const kept = await keepFiles(this.#services, this.account, files)
    try {
      return await this.#runOne(definition, kept)
    } catch (error) {
      await dropFiles(this.#services, this.account, kept)
      throw error
    }
  }

  async #runOne(definition: UserMethod, files: readonly Attachment[]): Promise<Outcome> {
    const { account, params, service } = this
    let prepared: unknown
    let current = this.caller
    // Moving files was asynchronous; so is preparing.
    if (files.length > 0) current = this.#currentCaller(definition)
    if (definition.prepare) {
      prepared = await definition.prepare(this.#stages.callOf(account, this.caller, service), params)
      // In the meantime, the token may have been revoked, or the file closed.
      current = this.#currentCaller(definition)
    }
    if (definition.mode === 'read') return await this.#gated(this.#read(definition, current, prepared))
    const written = await this.#written(definition, files, prepared)
    try {
      return await this.#afterWrite(written, current)
    } catch (error) {
      throw onceWritten(error)
    }
  }

  async #afterWrite({ changes, result }: Written, caller: Caller): Promise<Outcome> {
    const { account } = this
    this.#services.bus.publish(account.username, changes)
    if (this.#services.accounts.store(account).attachments.hasOrphans)
      await removeOrphans(this.#services, account)
    return hasListing(result) ? await this.#listOfWrite(result, caller) : this.#plain(result, caller, true)
  }

  /** Makes the write; in steps if it is large, or turns out to be. */
  #written(definition: UserMethod, files: readonly Attachment[], prepared: unknown): Promise<Written> {
    const { account, compiled, params, service } = this
    const store = this.#services.accounts.store(account)
    const access = this.caller.access?.id
    const inSteps = (): Promise<Written> =>
      store.writeInSteps(draft => this.#inSteps(definition, draft, files, prepared), access)
    if (isMuch(definition, store, params)) return inSteps()
    const written = store.write(() => {
      const call = this.#stages.callOf(account, this.#currentCaller(definition), service, files)
      const result = runWrite(definition, call, params, prepared)
      // Others are told of the call, too: not of one that is made again.
      store.unique.assertReserved()
      this.#stages.record(compiled, account, call.actor ?? call.caller, call)
      return { changes: call.changes, result }
    }, access)
    return written.catch(error => {
      if (!(error instanceof TooManyToEvaluate)) throw error
      return inSteps()
    })
  }

  #read(definition: UserMethod, caller: Caller, prepared: unknown): Outcome {
    const { account, compiled, params, service } = this
    const call = this.#stages.callOf(account, caller, service)
    const { via } = service.credentials
    const validator =
      via === 'http' && definition.isRepeatable?.(params)
        ? this.#stages.validators.of(call, definition.id, params, this.#untold(definition, call))
        : undefined
    if (validator !== undefined && isKnown(service.credentials, validator)) {
      this.#stages.record(compiled, account, caller, service)
      return unchanged(validator, caller.access?.id)
    }
    const result = call.store.read(() => definition.run(call, params, prepared))
    const outcome = this.#resultOfRead(result, call, validator)
    this.#stages.record(compiled, account, call.actor ?? caller, call)
    return outcome
  }

  /** Returns the outcome of a read once what it tells of is certain to stay. */
  #gated(outcome: Outcome): Promise<Outcome> | Outcome {
    const gate = this.#services.accounts.store(this.account).waitUntilReadable()
    return gate ? gate.then(() => outcome) : outcome
  }

  #untold(definition: UserMethod, call: Call): unknown {
    return definition.untold && call.store.read(() => definition.untold!(call, this.params))
  }

  /** Makes the write in steps, with a connection of its own. */
  *#inSteps(
    definition: UserMethod,
    store: UserStore,
    files: readonly Attachment[],
    prepared: unknown
  ): Steps<Written> {
    const { account, compiled, params, service } = this
    const caller = this.#currentCaller(definition, store)
    const call = this.#stages.callOf(account, caller, service, files, store)
    const result = yield* runInSteps(definition, call, params, prepared)
    store.unique.assertReserved()
    this.#stages.record(compiled, account, caller, service, store)
    return { changes: call.changes, result }
  }

  /**
   * Returns the current caller: the same object unless accesses have changed. A token that was revoked in the meantime is not a
   * guess, so it does not count as one.
   */
  #currentCaller({ allow }: AnyMethod, store = this.#services.accounts.store(this.account)): Caller {
    const { account, caller, service } = this
    if (!allow.needsAccess || caller.isCurrent(store)) return caller
    return authenticate(this.#services, account, store, service.credentials, service.now, false)
  }

  /** Returns the outcome of a read: the first page at once, the rest as a `remainder`. */
  #resultOfRead(result: Result, { caller, reach }: Call, validator?: string): Outcome {
    if (!hasListing(result)) {
      if (reach) reach.isOpen = false
      return this.#plain(result, caller, false, validator)
    }
    const facts = this.isDocument ? this.compiled.definition.facts?.(result) : undefined
    const writer = new MemberWriter(result, reach)
    const store = this.#services.accounts.store(this.account)
    store.read(() => writer.write({ store, caller }))
    const { isCut } = writer
    let text = ''
    // What is wanted in one piece counts as that, even while it waits.
    if (this.isWhole) text = writer.take()
    // A page that is too large for memory is spooled as a whole.
    else if (writer.size <= maxInMemory) text = writer.takeSome()
    let cut: number | undefined
    if (isCut && text !== '' && text.length < textSize) {
      // A short result is complete here, and sent in two chunks.
      store.read(() => writer.write({ store, caller }))
      if (writer.isDone && text.length + writer.size < textSize) {
        cut = text.length
        text += writer.take()
      }
    }
    return {
      ok: true,
      members: text,
      extraBytes: writer.extraBytes,
      remainder: writer.isTaken ? undefined : new Remainder(this.#reading(caller), this.#aside, { writer }),
      items: () => writer.items,
      accessId: caller.access?.id,
      validator,
      cut,
      facts
    }
  }

  /** Returns the outcome of a write that has a list. It is delivered even if the access ends, and reads nothing later. */
  async #listOfWrite(result: Result, caller: Caller): Promise<Outcome> {
    const writer = new MemberWriter(result)
    const reading = this.#reading(caller, true)
    const reader = { store: this.#services.accounts.store(this.account), caller }
    const spool = await putAside(this.#services.spools, writer, reader, reading.party)
    const accessId = caller.access?.id
    if (spool.isShort) return success(await spool.next(), accessId)
    return {
      ...success('', accessId),
      remainder: new Remainder(reading, this.#aside, { spool })
    }
  }

  #plain(result: Result, caller: Caller, isWritten = false, validator?: string): Success {
    const accessId = caller.access?.id
    const text = joinMembers(result)
    const facts = this.compiled.definition.facts?.(result)
    if (text.length <= maxInMemory || this.isWhole)
      return success(text, accessId, validator, facts, sumExcess(result))
    const spool = this.#services.spools.open()
    spool.add(text)
    return {
      ...success('', accessId, validator, facts),
      remainder: new Remainder(this.#reading(caller, isWritten), this.#aside, { spool })
    }
  }

  #reading(caller: Caller, isWritten = false): Reading {
    const reading = new Reading(this.#services, this.account, this.service.credentials, caller.access?.id)
    if (isWritten) reading.written()
    return reading
  }

  /** Where texts are spooled for slow clients. */
  get #aside(): Aside {
    return this.isWhole ? undefined : this.#services.spools
  }
}
