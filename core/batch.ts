/**
 * Many calls in order, run where the user's file is open. Consecutive calls share commits; each is undone by itself when
 * it fails, and later ones see what earlier ones did. (service.md, Endpoints, callBatch; supplement 15)
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Account } from '../storage/platform-store.js'
import { removeOrphans } from './attachment-sweep.js'
import { BatchResults } from './batch-results.js'
import type { Caller } from './caller.js'
import type { Changes } from './changes.js'
import { fail } from './errors.js'
import { members } from './json.js'
import type { Credentials, Result, ServiceCall, UserMethod } from './method.js'
import { MemberWriter } from './member-writer.js'
import { withAccess, type Failure } from './outcome.js'
import type { Compiled, Registry } from './registry.js'
import { runWrite } from './run-write.js'
import { isMuch } from './steps.js'

/** Time after which others get their turn, in milliseconds. */
const turnMs = 5
/** Calls in one commit at most. */
const chunkSize = 500

export class Batch {
  readonly #results = new BatchResults()
  readonly #changes: Changes[] = []
  readonly #credentials: Credentials
  #hasWritten = false
  #isEnded = false

  constructor(
    private readonly registry: Registry,
    private readonly account: Account,
    private readonly caller: Caller,
    credentials: Credentials,
    private readonly calls: readonly unknown[],
    /** Called when the last call has run: within its transaction, if it has one. */
    private readonly onEnd: () => void
  ) {
    this.#credentials = { ...credentials, isMember: true }
  }

  /** Makes the calls; answers their results once all that was written is on disk. */
  async run(): Promise<BatchResults> {
    const { core } = this.registry
    for (let index = 0; index < this.calls.length;) index = await this.#chunk(index)
    if (this.#isGone) return this.#results
    if (!this.#isEnded) this.#end()
    if (this.#hasWritten) await core.accounts.store(this.account).durable()
    if (this.#hasWritten && core.accounts.store(this.account).attachments.hasOrphans)
      await removeOrphans(core, this.account)
    for (const changes of this.#changes) core.bus.publish(this.account.username, changes)
    return this.#results
  }

  /** Whether the account has been deleted, by a member of the batch perhaps: there is nothing more to be done for it. */
  get #isGone(): boolean {
    const { accounts } = this.registry.core
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
    const store = this.registry.core.accounts.store(this.account)
    const isWriting = chunk.some(({ compiled }) => compiled?.definition.mode === 'write')
    const done: { index: number; method: string; writer?: MemberWriter; text?: string; changes?: Changes }[] =
      []
    const work = (): void => {
      const end = performance.now() + turnMs
      for (const { index, call, compiled, error } of chunk) {
        const method = methodOf(call)
        try {
          if (!compiled) throw error
          const { result, changes } = this.#runIn(compiled, paramsOf(call), isWriting)
          const writer = new MemberWriter(result)
          store.read(() => writer.write(this.registry.core.accounts.store(this.account)))
          done.push({ index, method, writer, changes })
          if (!writer.isDone) break
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
        this.#results.add([this.#refusal(withAccess(error, this.caller), methodOf(call))])
      return count
    }
    for (const { method, writer, text, changes } of done) {
      this.#results.add(text === undefined ? await this.#drain(writer!, method) : [text])
      if (changes && !changes.isEmpty) this.#changes.push(changes)
    }
    return done.length
  }

  /** Finds the method and looks at the form of a call. */
  #look(
    index: number,
    call: unknown
  ): { index: number; call: unknown; compiled?: Compiled; error?: unknown } {
    try {
      const compiled = this.registry.find(methodOf(call))
      if (compiled.definition.mode === 'batch')
        fail('invalid-operation', 'A batch cannot hold another batch.')
      if (paramsOf(call) === undefined) fail('invalid-parameters-format', 'The call has no "params".')
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
      return isMuch(definition, this.registry.core.accounts.store(this.account), params)
    } catch {
      // Its params have not been checked: what is wrong with them is told when it runs.
      return false
    }
  }

  #runIn(
    compiled: Compiled,
    params: unknown,
    isInTransaction: boolean
  ): { result: Result; changes: Changes } {
    const now = this.registry.core.clock.now()
    const caller = this.registry.identify(this.account, this.#credentials, compiled, now)
    this.registry.admit(compiled, caller, this.#credentials, params)
    const method = compiled.definition as UserMethod
    const service = this.#service(now)
    const call = this.registry.callOf(this.account, caller, service)
    try {
      const result =
        isInTransaction && method.mode === 'write'
          ? call.store.savepoint(() => runWrite(method, call, params, undefined))
          : method.run(call, params, undefined)
      this.registry.record(compiled, this.account, caller, service)
      return { result, changes: call.changes }
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
    const { account, registry } = this
    const credentials = this.#credentials
    // What was committed so far must be durable before this call can be: the same sync covers both.
    const outcome = await registry.callWhole({
      user: account.username,
      method: definition.id,
      params,
      credentials
    })
    this.#results.add([outcome.ok ? `{${outcome.members}}` : errorText(outcome)])
  }

  /** The texts of a result, pulled to its end as long as it is not too large for a batch. */
  async #drain(writer: MemberWriter, method: string): Promise<string[]> {
    const { core } = this.registry
    const { batchResultItems, batchResultBytes } = core.config.limits
    const texts = [`{${writer.take()}`]
    let size = texts[0]!.length
    try {
      for (;;) {
        if (writer.items > batchResultItems || this.#results.size + size > batchResultBytes)
          fail('too-many-results')
        if (writer.isDone) return [...texts, '}']
        await nextTurn()
        const store = core.accounts.store(this.account)
        store.read(() => writer.write(store))
        const text = writer.take()
        texts.push(text)
        size += text.length
      }
    } catch (error) {
      return [errorText(this.registry.failure(error, method))]
    }
  }

  #refusal(thrown: unknown, method: string): string {
    const failure = this.registry.failure(thrown, method)
    this.registry.recordRefusal(
      { user: this.account.username, method, credentials: this.#credentials },
      failure
    )
    return errorText(failure)
  }

  #service(now: number): ServiceCall {
    return { core: this.registry.core, credentials: this.#credentials, now }
  }
}

function errorText({ error }: Failure): string {
  return `{${members({ error })}}`
}

function methodOf(call: unknown): string {
  return (call as { method: string }).method
}

function paramsOf(call: unknown): unknown {
  return (call as { params?: unknown }).params
}
