/** One call of a user, once it is known who makes it: admit → prepare → run → durable → publish. */
import type { Attachment } from '../../schemas/event.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { removeOrphans } from '../events/attachment-sweep.js'
import { dropFiles, keepFiles } from '../events/attachments.js'
import { authenticate } from '../auth/authenticate.js'
import { Batch } from './batch.js'
import type { Caller } from '../permissions/caller.js'
import type { Changes } from '../changes.js'
import { hasListing, members } from '../json/json-text.js'
import { MemberWriter } from './result-writer.js'
import type { AnyMethod, BatchMethod, Call, Result, ServiceCall, UserMethod } from '../call/method.js'
import {
  isKnown,
  type Outcome,
  success,
  type Success,
  unchanged,
  type UploadedFile,
  withAccess
} from '../call/outcome.js'
import { Reading } from './reader.js'
import type { Compiled, Dispatch, Stages } from './stages.js'
import { largest, putAside, Remainder, restSize, type Aside } from './remainder.js'
import { isMuch, runInSteps, runWrite } from './run-write.js'
import { type Steps } from '../../storage/steps.js'
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'

export class Execution {
  readonly #core: Services
  readonly #stages: Stages

  /** `isWhole`: whether the answer is taken at once, all of it. */
  constructor(
    private readonly dispatch: Dispatch,
    private readonly compiled: Compiled,
    private readonly account: Account,
    private caller: Caller,
    private readonly service: ServiceCall,
    private readonly params: unknown,
    private readonly isWhole: boolean
  ) {
    this.#core = dispatch.stages.core
    this.#stages = dispatch.stages
  }

  /**
   * Makes the call, with files that came along. Whatever it raises tells whose call it was. Reads that need not prepare
   * anything are answered at once.
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

  /** As {@link begin}, of a caller who has had to wait: the access may have ended since it was looked at. */
  async beginLater(files: readonly UploadedFile[]): Promise<Outcome> {
    this.caller = this.#again(this.compiled.definition)
    return await this.begin(files)
  }

  #run(files: readonly UploadedFile[]): Promise<Outcome> | Outcome {
    const { definition } = this.compiled
    if (definition.mode === 'batch') return this.#batch(definition)
    if (definition.mode === 'service') throw new Error(`${definition.id} needs no user`)
    if (files.length > 0) return this.#withFiles(definition, files)
    if (definition.mode === 'read' && !definition.prepare)
      return this.#read(definition, this.caller, undefined)
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

  /** Puts files in place for the call; if it fails they go again. */
  async #withFiles(definition: UserMethod, files: readonly UploadedFile[]): Promise<Outcome> {
    const kept = await keepFiles(this.#core, this.account, files)
    try {
      return await this.#runOne(definition, kept)
    } catch (error) {
      await dropFiles(this.#core, this.account, kept)
      throw error
    }
  }

  async #runOne(definition: UserMethod, files: readonly Attachment[]): Promise<Outcome> {
    const { account, compiled, params, service } = this
    let prepared: unknown
    let current = this.caller
    // Putting files in place has waited; so does preparing.
    if (files.length > 0) current = this.#again(definition)
    if (definition.prepare) {
      prepared = await definition.prepare(this.#stages.callOf(account, this.caller, service), params)
      // While it waited the token may have been revoked, and the file closed.
      current = this.#again(definition)
    }
    if (definition.mode === 'read') return this.#read(definition, current, prepared)
    const store = this.#core.accounts.store(account)
    const { changes, result } =
      files.length === 0 && isMuch(definition, store, params)
        ? await store.writeInSteps(draft => this.#inSteps(definition, draft))
        : await store.write(() => {
            const call = this.#stages.callOf(account, this.#again(definition), service, files)
            const written = runWrite(definition, call, params, prepared)
            this.#stages.record(compiled, account, call.caller, service)
            return { changes: call.changes, result: written }
          })
    this.#core.bus.publish(account.username, changes)
    if (this.#core.accounts.store(account).attachments.hasOrphans) await removeOrphans(this.#core, account)
    return await this.#tell(result, current)
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
    this.#stages.record(compiled, account, caller, service)
    return this.#answer(result, caller, validator)
  }

  #untold(definition: UserMethod, call: Call): unknown {
    return definition.untold && call.store.read(() => definition.untold!(call, this.params))
  }

  /** The write in steps, in a store that is its own meanwhile. */
  *#inSteps(definition: UserMethod, store: UserStore): Steps<{ changes: Changes; result: Result }> {
    const { account, compiled, params, service } = this
    const caller = this.#again(definition, store)
    const call = this.#stages.callOf(account, caller, service, [], store)
    const result = yield* runInSteps(definition, call, definition.steps!, params)
    this.#stages.record(compiled, account, caller, service, store)
    return { changes: call.changes, result }
  }

  /** The caller as things stand now: the same one unless accesses have changed since. */
  #again({ allow }: AnyMethod, store = this.#core.accounts.store(this.account)): Caller {
    const { account, caller, service } = this
    if (!allow.needsAccess || caller.isCurrent(store)) return caller
    return authenticate(this.#core, account, store, service.credentials, service.now)
  }

  /** An outcome of what has been read: its first page at once, what is longer as a `rest`. */
  #answer(result: Result, caller: Caller, validator?: string): Outcome {
    if (!hasListing(result)) return this.#plain(result, caller, false, validator)
    const writer = new MemberWriter(result)
    const store = this.#core.accounts.store(this.account)
    store.read(() => writer.write({ store, caller }))
    const { isCut } = writer
    // A page that is too large to wait in memory is put aside as a whole.
    let text = writer.size > largest && !this.isWhole ? '' : writer.takeSome()
    let cut: number | undefined
    if (isCut && text !== '' && text.length < restSize) {
      // What is short is here as a whole, and sent in its pieces.
      store.read(() => writer.write({ store, caller }))
      if (writer.isDone && text.length + writer.size < restSize) {
        cut = text.length
        text += writer.take()
      }
    }
    return {
      ok: true,
      members: text,
      extraBytes: writer.excess,
      remainder: writer.isTaken ? undefined : new Remainder(this.#reading(caller), this.#aside, { writer }),
      items: () => writer.items,
      accessId: caller.access?.id,
      validator,
      cut
    }
  }

  /** An outcome of what has been written: it is told whatever becomes of the access, and nothing of it is read later. */
  async #tell(result: Result, caller: Caller): Promise<Outcome> {
    if (!hasListing(result)) return this.#plain(result, caller, true)
    const writer = new MemberWriter(result)
    const spool = await putAside(this.#core.spools, writer, {
      store: this.#core.accounts.store(this.account),
      caller
    })
    const accessId = caller.access?.id
    if (spool.isShort) return success(await spool.next(), accessId)
    return {
      ...success('', accessId),
      remainder: new Remainder(this.#reading(caller, true), this.#aside, { spool })
    }
  }

  #plain(result: Result, caller: Caller, isWritten = false, validator?: string): Success {
    const accessId = caller.access?.id
    const text = members(result)
    const facts = this.compiled.definition.facts?.(result)
    if (text.length <= largest || this.isWhole) return success(text, accessId, validator, facts)
    const spool = this.#core.spools.open()
    spool.add(text)
    return {
      ...success('', accessId, validator, facts),
      remainder: new Remainder(this.#reading(caller, isWritten), this.#aside, { spool })
    }
  }

  #reading(caller: Caller, isWritten = false): Reading {
    const reading = new Reading(
      this.#core,
      this.account,
      this.service.credentials,
      caller.access !== undefined
    )
    if (isWritten) reading.written()
    return reading
  }

  /** Where texts wait for those who take them as slowly as they like. */
  get #aside(): Aside {
    return this.isWhole ? undefined : this.#core.spools
  }
}
