/**
 * Many calls in order, run where the user's file is open. Consecutive calls share commits; each is undone by itself when
 * it fails, and later ones see what earlier ones did. (docs/spec/batch.md#order-and-transactions)
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { removeOrphans } from '../events/attachment-sweep.js'
import { errorText, methodOf, mustHaveParams, paramsOf } from './batch-member.js'
import { BatchChanges } from './batch-changes.js'
import { BatchResults } from './batch-results.js'
import type { Caller } from '../permissions/caller.js'
import type { Changes } from '../changes.js'
import { fail } from '../errors.js'
import type { Result, ServiceCall, UserMethod } from '../call/method.js'
import { MemberWriter } from './result-writer.js'
import { withAccess, type Success } from '../call/outcome.js'
import { Reading } from './reader.js'
import type { Compiled, Dispatch, Stages } from './stages.js'
import { isMuch, runWrite } from './run-write.js'
import type { Credentials } from '../call/credentials.js'
import type { Reader } from '../call/reader.js'
import type { Account } from '../../storage/platform/account.js'

/** Time after which others get their turn, in milliseconds. */
const turnMs = 5
/** Calls in one commit at most. */
const chunkSize = 500
/** Characters of results after which no further call joins them: they are put aside together. */
const chunkText = 1024 * 1024

/** A call that has been made: what it has to tell, and who may read it. */
interface Done {
  readonly index: number
  readonly method: string
  readonly text?: string
  readonly writer?: MemberWriter
  /** Absent for what a write has done: that is told as it was then. */
  readonly reading?: Reading | undefined
  readonly changes?: Changes
}

export class Batch {
  readonly #results: BatchResults
  readonly #changes: BatchChanges
  readonly #credentials: Credentials
  /** Who reads the results. */
  readonly #reading: Reading
  readonly #stages: Stages
  /** What keeps the results from being kept at all. */
  #trouble: unknown
  #hasWritten = false
  #isEnded = false

  constructor(
    private readonly dispatch: Dispatch,
    private readonly account: Account,
    private readonly caller: Caller,
    credentials: Credentials,
    private readonly calls: readonly unknown[],
    /** Called when the last call has run: in its transaction, if it has one. */
    private readonly onEnd: () => void
  ) {
    this.#credentials = { ...credentials, isMember: true }
    this.#stages = dispatch.stages
    const { core } = dispatch.stages
    this.#reading = new Reading(core, account, credentials, true)
    this.#changes = new BatchChanges(core, account)
    this.#results = new BatchResults(core.spools)
  }

  /** Makes the calls, whatever becomes of their results; answers these once all that was written is on disk. */
  async run(): Promise<Success> {
    try {
      for (let index = 0; index < this.calls.length;) index = await this.#chunk(index)
      if (!this.#isGone) await this.#finish()
      if (this.#trouble !== undefined) throw this.#trouble
      return await this.#results.outcome(this.#reading, this.caller.access?.id)
    } catch (error) {
      this.#results.close()
      throw error
    }
  }

  async #finish(): Promise<void> {
    const { core } = this.#stages
    if (!this.#isEnded) this.#end()
    if (this.#hasWritten) await core.accounts.store(this.account).durable()
    await this.#changes.publish()
    if (this.#hasWritten && core.accounts.store(this.account).attachments.hasOrphans)
      await removeOrphans(core, this.account)
  }

  /** Whether the account has been deleted, by a member of the batch perhaps: there is nothing more to be done for it. */
  get #isGone(): boolean {
    const { accounts } = this.#stages.core
    const { id, username } = this.account
    return accounts.find(username)?.id !== id && accounts.relocatedTo(username) === undefined
  }

  /** Runs calls from `start` that can share a transaction; answers where to go on. */
  async #chunk(start: number): Promise<number> {
    const { calls } = this
    const chunk: { index: number; call: unknown; compiled?: Compiled; error?: unknown }[] = []
    for (let index = start; index < calls.length && chunk.length < chunkSize; index++) {
      const entry = this.#look(index, calls[index])
      if (entry.compiled && this.#needsToWait(entry.compiled, paramsOf(entry.call))) {
        if (chunk.length > 0) break
        await this.#alone(entry.compiled, paramsOf(entry.call))
        return index + 1
      }
      chunk.push(entry)
    }
    return start + (await this.#together(chunk))
  }

  /** Runs a chunk in one transaction, or as plain reads if nothing in it writes. Answers how many calls it got through. */
  async #together(
    chunk: readonly { index: number; call: unknown; compiled?: Compiled; error?: unknown }[]
  ): Promise<number> {
    const store = this.#stages.core.accounts.store(this.account)
    const isWriting = chunk.some(({ compiled }) => compiled?.definition.mode === 'write')
    const done: Done[] = []
    let size = 0
    const work = (): void => {
      const end = performance.now() + turnMs
      for (const { index, call, compiled, error } of chunk) {
        const method = methodOf(call)
        try {
          if (!compiled) throw error
          const { caller, changes, result } = this.#runIn(compiled, paramsOf(call), isWriting)
          const writer = new MemberWriter(result)
          store.read(() => writer.write({ store, caller }))
          const reading = compiled.definition.mode === 'write' ? undefined : this.#readingOf(caller)
          done.push({ index, method, writer, reading, changes })
          if (!writer.isDone || (size += writer.size) > chunkText) break
        } catch (thrown) {
          done.push({ index, method, text: this.#refusal(thrown, method) })
          // A full disk ends the whole transaction: what follows must not run outside of it.
          if (isWriting && !store.isInTransaction) throw thrown
        }
        if (performance.now() > end) break
      }
      if (done.at(-1)?.index === this.calls.length - 1) this.#end()
    }
    try {
      if (isWriting) {
        await store.commit(work)
        this.#hasWritten = true
      } else {
        store.read(work)
        await nextTurn()
      }
    } catch (error) {
      // The commit itself failed: nothing of the chunk has happened.
      this.#isEnded = false
      const count = Math.max(done.length, 1)
      for (const { call } of chunk.slice(0, count))
        await this.#add({ text: this.#refusal(withAccess(error, this.caller), methodOf(call)) })
      return count
    }
    for (const one of done) {
      await this.#add(one)
      if (one.changes && !this.#isGone) await this.#changes.add(one.changes)
    }
    return done.length
  }

  #readingOf(caller: Caller): Reading {
    return new Reading(this.#stages.core, this.account, this.#credentials, caller.access !== undefined)
  }

  /** Finds the method and looks at the form of a call. */
  #look(
    index: number,
    call: unknown
  ): { index: number; call: unknown; compiled?: Compiled; error?: unknown } {
    try {
      const compiled = this.#stages.find(methodOf(call))
      if (compiled.definition.mode === 'batch') fail('invalid-operation', 'A batch cannot hold another batch')
      mustHaveParams(call)
      return { index, call, compiled }
    } catch (error) {
      return { index, call, error: withAccess(error, this.caller) }
    }
  }

  /** Whether a call waits before it runs, or while it does. */
  #needsToWait({ definition }: Compiled, params: unknown): boolean {
    if (definition.mode === 'service') return true
    if (definition.mode === 'batch') return false
    if (definition.prepare) return true
    if (!definition.steps) return false
    try {
      return isMuch(definition, this.#stages.core.accounts.store(this.account), params)
    } catch {
      // Its params have not been checked: what is wrong with them is told when it runs.
      return false
    }
  }

  #runIn(
    compiled: Compiled,
    params: unknown,
    isInTransaction: boolean
  ): { result: Result; changes: Changes; caller: Caller } {
    const now = this.#stages.core.clock.now()
    const caller = this.#stages.identify(this.account, this.#credentials, compiled, now)
    this.#stages.admit(compiled, caller, this.#credentials, params)
    const method = compiled.definition as UserMethod
    const service = this.#service(now)
    const call = this.#stages.callOf(this.account, caller, service)
    try {
      const result =
        isInTransaction && method.mode === 'write'
          ? call.store.savepoint(() => runWrite(method, call, params, undefined))
          : method.run(call, params, undefined)
      this.#stages.record(compiled, this.account, caller, service)
      if (method.mode === 'write' && !this.caller.isCurrent(call.store)) this.#reading.written()
      return { result, changes: call.changes, caller }
    } catch (error) {
      throw withAccess(error, caller)
    }
  }

  #end(): void {
    this.onEnd()
    this.#isEnded = true
  }

  /** A call that has to wait before it runs: by itself, through the path of any single call. */
  async #alone({ definition }: Compiled, params: unknown): Promise<void> {
    const { account } = this
    const credentials = this.#credentials
    // What was committed so far must be durable before this call can be: the same sync covers both.
    const outcome = await this.dispatch.callWhole({
      user: account.username,
      method: definition.id,
      params,
      credentials
    })
    if (outcome.ok && definition.mode === 'write') this.#reading.written()
    await this.#add({ text: outcome.ok ? `{${outcome.members}}` : errorText(outcome) })
  }

  /** Puts aside what a call has to tell, pulled to its end as long as it is not too large for a batch. */
  async #add({ method = '', reading, text, writer }: Partial<Done>): Promise<void> {
    if (this.#trouble !== undefined) return
    try {
      this.#results.begin()
      if (writer) await this.#drain(writer, reading)
      else this.#results.add(text ?? '')
    } catch (error) {
      this.#replace(errorText(this.#stages.failure(error, method)))
    }
  }

  /** The calls that follow are made all the same, though nobody will hear of them. */
  #replace(text: string): void {
    try {
      this.#results.replace(text)
    } catch (error) {
      this.#trouble = error
    }
  }

  async #drain(writer: MemberWriter, reading: Reading | undefined): Promise<void> {
    const { core } = this.#stages
    const { batchResultItems, batchResultBytes } = core.config.limits
    this.#results.add('{')
    for (;;) {
      if (writer.items > batchResultItems || this.#results.size + writer.size > batchResultBytes)
        fail('too-many-results')
      this.#results.add(writer.take())
      if (writer.isDone) return this.#results.add('}')
      await nextTurn()
      const reader: Reader = reading?.current() ?? {
        store: core.accounts.store(this.account),
        caller: this.caller
      }
      reader.store.read(() => writer.write(reader))
    }
  }

  #refusal(thrown: unknown, method: string): string {
    const failure = this.#stages.failure(thrown, method)
    this.#stages.recordRefusal(
      { user: this.account.username, method, credentials: this.#credentials },
      failure
    )
    return errorText(failure)
  }

  #service(now: number): ServiceCall {
    return { core: this.#stages.core, credentials: this.#credentials, now }
  }
}
