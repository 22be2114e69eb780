/** Runs many calls in order, with shared commits. A call that fails is rolled back alone. (docs/spec/batch.md#order-and-transactions) */
import { removeOrphansAfterWrite } from '../events/attachment-sweep.js'
import {
  assertCallParams,
  formatError,
  createTextResult,
  runsAsynchronously,
  toResultText,
  type BatchCall,
  type FinishedCall,
  type BatchMember,
  type ResultText
} from './batch-member.js'
import { BatchChanges } from './batch-changes.js'
import { BatchResults } from './batch-results.js'
import type { Caller } from '../permissions/caller.js'
import type { Changes } from '../changes.js'
import { fail } from '../errors.js'
import { createCall, type UserMethod } from '../call/method.js'
import type { MemberWriter } from './result-writer.js'
import { toErrorAfterWrite, addAccessId, type Success } from '../call/outcome.js'
import { ReadAuthorization } from './read-authorization.js'
import type { Compiled, Dispatch, Stages } from './stages.js'
import { needsSeparateRun, runUninterrupted, runWrite } from './run-write.js'
import { isUnavailable } from '../unknown-user.js'
import type { Credentials } from '../call/credentials.js'
import { scheduler } from '../../storage/scheduler.js'
import { runSteps } from '../../storage/steps.js'
import type { UserStore } from '../../storage/user/user-store.js'

/** Time after which a group of calls ends, so that other calls can run, in milliseconds. */
const sliceMs = 5
/** Maximum number of calls per commit. It is 1 after a failed commit. */
const maxGroupCalls = 500
/** Length of results, in characters, after which a group ends: they are kept in memory until the commit. */
const maxGroupText = 1024 * 1024

export class Batch {
  readonly #results: BatchResults
  readonly #changes: BatchChanges
  readonly #credentials: Credentials
  /** Authorizes reading the results. */
  readonly #reading: ReadAuthorization
  readonly #stages: Stages
  /** Waits for the next turn of the access. */
  readonly #turn: () => Promise<void> | undefined
  #hasWritten = false
  #hasDeleted = false
  #maxCalls = maxGroupCalls
  #isEnded = false

  constructor(
    private readonly dispatch: Dispatch,
    private readonly batch: BatchCall
  ) {
    const { account, caller, credentials } = batch
    this.#credentials = { ...credentials, isMember: true }
    this.#stages = dispatch.stages
    const { services } = dispatch.stages
    this.#reading = new ReadAuthorization(services, account, credentials, caller.access?.id ?? '')
    this.#turn = scheduler.createTurns(this.#reading.party)
    this.#changes = new BatchChanges(services, account, this.#reading.party)
    this.#results = new BatchResults(services.spools, services.config.limits)
  }

  /** Makes all calls, even if their results cannot be stored. Resolves once all writes are on disk. */
  async run(): Promise<Success> {
    try {
      for (let index = 0; index < this.batch.calls.length;) index = await this.#runGroup(index)
      if (!this.#isGone) await this.#finish()
      if (this.#results.error !== undefined) throw this.#results.error
      return await this.#results.createOutcome(this.#reading, this.batch.caller.access?.id)
    } catch (error) {
      this.#results.close()
      throw this.#hasWritten ? toErrorAfterWrite(error) : error
    }
  }

  async #finish(): Promise<void> {
    if (!this.#isEnded) this.#finishCalls()
    await this.#publish()
    if (this.#hasWritten && this.#store.attachments.hasOrphans)
      await removeOrphansAfterWrite(this.#stages.services, this.batch.account, this.#hasDeleted)
  }

  /** Publishes the changes so far, once they are on disk. */
  async #publish(): Promise<void> {
    if (this.#hasWritten) await this.#store.durable()
    await this.#changes.publish()
  }

  /** True if the account has been deleted, possibly by the batch itself. */
  get #isGone(): boolean {
    const { accounts } = this.#stages.services
    const { id, username } = this.batch.account
    return accounts.find(username)?.id !== id && !isUnavailable(accounts, username)
  }

  /** The store of the account, which may change after an await. */
  get #store(): UserStore {
    return this.#stages.services.accounts.openStore(this.batch.account)
  }

  /** Runs the calls from index `start` that can share a transaction. Returns the index of the next call. */
  async #runGroup(start: number): Promise<number> {
    const { calls } = this.batch
    const group: BatchMember[] = []
    const openStore = (): UserStore => this.#store
    for (let index = start; index < calls.length && group.length < this.#maxCalls; index++) {
      const entry = this.#find(index, calls[index])
      if (entry.compiled && runsAsynchronously(entry.compiled, entry.params, openStore, this.batch.caller)) {
        if (group.length > 0) break
        await this.#runAlone(entry.compiled, entry.params)
        return index + 1
      }
      group.push(entry)
    }
    return start + (await this.#runTogether(group))
  }

  /** Runs calls in one transaction, or without a transaction if they only read. Returns the number of calls made. */
  async #runTogether(group: readonly BatchMember[]): Promise<number> {
    const isWriting = group.some(({ compiled }) => compiled?.definition.mode === 'write')
    // Writes wait for the turn of the account instead.
    const waiting = isWriting ? undefined : this.#turn()
    if (waiting) await waiting
    const store = this.#store
    const done: FinishedCall[] = []
    let size = 0
    let deferred: Compiled | undefined
    const work = (): void => {
      const end = performance.now() + sliceMs
      const hadOrphans = store.attachments.hasOrphans
      for (const { index, method, params, compiled, error } of group) {
        try {
          if (!compiled) throw error
          const { caller, changes, copies, text, writer } = this.#runIn(compiled, params, isWriting)
          const reading =
            compiled.definition.mode === 'write' ? undefined : this.#createReading(caller, copies)
          done.push({ index, method, text, writer, reading, changes })
          size += writer?.size ?? text.length
          if (writer?.isDone === false || size > maxGroupText) break
        } catch (thrown) {
          // The call is rolled back alone, and repeated alone once the calls before it are committed.
          if (needsSeparateRun(thrown)) deferred = compiled
          if (deferred) break
          done.push(createTextResult(index, method, this.#recordRefusal(thrown, method)))
          // A full disk ends the whole transaction, so later calls must not run outside of it.
          if (isWriting && !store.isInTransaction) throw thrown
        }
        if (performance.now() > end) break
      }
      if (!hadOrphans && store.attachments.hasOrphans) this.#hasDeleted = true
      if (done.at(-1)?.index === this.batch.calls.length - 1) this.#finishCalls()
    }
    try {
      if (isWriting) {
        await store.commit(work, this.#reading.party.access)
        this.#hasWritten = true
      } else {
        store.read(work)
        await store.waitUntilReadable()
      }
    } catch (error) {
      // The commit failed, so none of the calls has had any effect. The next commit may fail, too.
      this.#isEnded = false
      this.#maxCalls = 1
      await this.#turn()
      const count = Math.max(done.length, 1)
      for (const { index, method } of group.slice(0, count))
        await this.#add(
          createTextResult(index, method, this.#recordRefusal(addAccessId(error, this.batch.caller), method))
        )
      return count
    }
    this.#maxCalls = maxGroupCalls
    for (const result of done) {
      const added = this.#add(result)
      if (added) await added
      if (result.changes) this.#changes.add(result.changes)
      if (this.#changes.isLarge && !this.#isGone) await this.#publish()
    }
    if (!deferred) return done.length
    await this.#runAlone(deferred, group[done.length]!.params, { isCounted: true })
    return done.length + 1
  }

  #createReading({ access }: Caller, copies: readonly string[] | undefined): ReadAuthorization {
    const { services } = this.#stages
    this.#reading.noteCopies(copies)
    return new ReadAuthorization(services, this.batch.account, this.#credentials, access?.id, copies)
  }

  /** Finds the method of a call and checks the form of the call. */
  #find(index: number, call: unknown): BatchMember {
    const { method, params } = call as { method: string; params?: unknown }
    try {
      const compiled = this.#stages.find(method)
      if (compiled.definition.mode === 'batch')
        fail('invalid-operation', 'A batch cannot contain another batch')
      assertCallParams(params)
      return { index, method, params, compiled }
    } catch (error) {
      return { index, method, params, error: addAccessId(error, this.batch.caller) }
    }
  }

  #runIn(
    compiled: Compiled,
    params: unknown,
    isInTransaction: boolean
  ): { caller: Caller; changes: Changes; copies: readonly string[] | undefined } & ResultText {
    const now = this.#stages.services.clock.now()
    const caller = this.#stages.authenticateCaller(this.batch.account, this.#credentials, compiled, now)
    this.#stages.checkCall(compiled, caller, this.#credentials, params)
    const method = compiled.definition as UserMethod
    const service = { services: this.#stages.services, credentials: this.#credentials, now }
    const call = createCall(service, { account: this.batch.account, caller, store: this.#store })
    try {
      const result =
        isInTransaction && method.mode === 'write'
          ? call.store.savepoint(() => runSteps(runWrite(method, call, params, undefined)))
          : runUninterrupted(method, call, params)
      const { text, writer } = toResultText(result, call)
      this.#stages.recordSuccess(compiled, this.batch.account, caller, call)
      if (method.mode === 'write' && !this.batch.caller.isCurrent(call.store)) this.#reading.noteWrite()
      return { caller, changes: call.changes, copies: call.auditScope?.copies, text, writer }
    } catch (error) {
      throw needsSeparateRun(error) ? error : addAccessId(error, caller)
    }
  }

  #finishCalls(): void {
    this.batch.onEnd()
    this.#isEnded = true
  }

  /** Makes a call that may be asynchronous, like a single call. */
  async #runAlone(
    { definition }: Compiled,
    params: unknown,
    counted: Pick<Credentials, 'isCounted'> = {}
  ): Promise<void> {
    const { id, mode } = definition
    const user = this.batch.account.username
    const credentials = { ...this.#credentials, ...counted }
    // Everything committed so far must become durable before this call does; the same sync covers both.
    const outcome = await this.dispatch.call({ user, method: id, params, credentials, isWhole: true })
    // A call that fails may have written something.
    if (mode !== 'read') this.#hasWritten = true
    if (outcome.ok && mode === 'write') this.#reading.noteWrite()
    const text = outcome.ok ? `{${outcome.members}}` : formatError(outcome)
    await this.#add(createTextResult(-1, id, text))
    await this.#turn()
  }

  /** Stores the complete result of a call, unless it exceeds the limits of a batch. Asynchronous only for long lists. */
  #add({ changes, method, reading, text, writer }: FinishedCall): Promise<void> | undefined {
    if (this.#results.error !== undefined) {
      writer?.close()
      return undefined
    }
    try {
      this.#results.begin()
      if (writer) return this.#addList(writer, reading, method)
      if (changes) this.#results.assertFits(text.length)
      this.#results.add(text)
    } catch (error) {
      this.#replaceWithError(error, method)
    }
    return undefined
  }

  async #addList(
    writer: MemberWriter,
    reading: ReadAuthorization | undefined,
    method: string
  ): Promise<void> {
    try {
      const getReader = () => reading?.getReader() ?? { store: this.#store, caller: this.batch.caller }
      await this.#results.addList(writer, getReader, this.#turn)
    } catch (error) {
      this.#replaceWithError(error, method)
    } finally {
      writer.close()
    }
  }

  #replaceWithError(thrown: unknown, method: string): void {
    const error = this.#hasWritten ? toErrorAfterWrite(thrown) : thrown
    this.#results.replace(formatError(this.#stages.toFailure(error, method)))
  }

  #recordRefusal(thrown: unknown, method: string): string {
    const failure = this.#stages.toFailure(thrown, method)
    const user = this.batch.account.username
    this.#stages.recordRefusal({ user, method, credentials: this.#credentials }, failure)
    return formatError(failure)
  }
}
