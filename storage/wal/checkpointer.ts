/**
 * Carries the logs that closed files have left over into the main files: soon where they are long, else once nobody has asked
 * for the account for a while. It syncs, so it is done on a thread of its own.
 */
import { existsSync } from 'node:fs'
import { CarrierThread } from './checkpoint-thread.js'
import { carryOver } from '../sqlite/open.js'
import type { LeftLog, OwnedLog } from './left-log.js'

export interface CheckpointerOptions {
  /** Seconds that a log rests before it is carried over: who comes back meanwhile goes on writing to it. */
  readonly idleSeconds: number
  /** Told of a log that could not be carried over. Nothing is lost: it is as good where it is. */
  onTrouble(account: string, error: unknown): void
}

/** Logs from this size on do not rest: opening a file reads all of its log. */
const longBytes = 256 * 1024
/** Logs that rest at most. */
const mostResting = 10_000
/** Time without work after which the thread ends: it takes 8 MB. */
const threadIdleMs = 10_000

export class Checkpointer {
  /** In the order in which they were left. */
  readonly #resting = new Map<string, LeftLog & { readonly untilMs: number }>()
  #due = new Map<string, LeftLog | OwnedLog>()
  #current: { readonly account: string; readonly log: LeftLog; readonly done: Promise<void> } | undefined
  #thread: CarrierThread | undefined
  #workedAtMs = 0
  #isClosed = false

  constructor(private readonly options: CheckpointerOptions) {}

  /** Logs that wait. */
  get size(): number {
    return this.#resting.size + this.#due.size
  }

  /** Takes charge of a log. */
  add(account: string, log: LeftLog): void {
    if (log.size < longBytes) {
      this.#resting.set(account, { ...log, untilMs: performance.now() + this.options.idleSeconds * 1000 })
      return
    }
    this.#due.set(account, log)
    this.#work()
  }

  /** Carries a log over, before others, whose file is open. Resolves when that has been tried. */
  async carryNow(account: string, log: OwnedLog): Promise<void> {
    this.#due.set(account, log)
    this.#work()
    await this.carry(account)
  }

  /**
   * Gives a log back, since its file is about to be opened; it may be being carried over even so. Answers what it was
   * when it was left.
   */
  take(account: string): LeftLog | undefined {
    const log = this.#find(account)
    this.#resting.delete(account)
    this.#due.delete(account)
    return log
  }

  /** Carries the log of one account over, if it has left any; resolves when that is done, or somebody has opened the file. */
  async carry(account: string): Promise<void> {
    const log = this.#resting.get(account) ?? this.#due.get(account)
    if (log) {
      this.#resting.delete(account)
      this.#due.delete(account)
      this.#due = new Map([[account, log], ...this.#due])
      this.#work()
    }
    while (this.#current && (this.#due.has(account) || this.#current.account === account))
      await this.#current.done
  }

  /** Leaves alone what one account has left: it is to be removed. Resolves when nothing of it is open here. */
  async drop(account: string): Promise<void> {
    this.take(account)
    while (this.#current?.account === account) await this.#current.done
  }

  /** To be called now and then: sees to what has rested long enough. */
  sweep(): void {
    const nowMs = performance.now()
    for (const [account, log] of this.#resting) {
      if (log.untilMs > nowMs && this.#resting.size <= mostResting) break
      this.#resting.delete(account)
      this.#due.set(account, log)
    }
    this.#work()
    if (this.#thread && !this.#current && nowMs - this.#workedAtMs > threadIdleMs) this.#endThread()
  }

  /** Carries over, in this thread, what waits, as far as it can be done by a time. What remains is left as a crash leaves it. */
  async close(deadlineMs: number): Promise<void> {
    this.#isClosed = true
    await this.#current?.done
    this.#endThread()
    for (const [account, log] of [...this.#due, ...this.#resting]) {
      if (performance.now() >= deadlineMs) return
      this.take(account)
      try {
        carryOver(log.file, log.isNamed)
      } catch (error) {
        this.#tell(account, log, error)
      }
    }
  }

  #find(account: string): LeftLog | undefined {
    const current = this.#current?.account === account ? this.#current.log : undefined
    return this.#resting.get(account) ?? this.#due.get(account) ?? current
  }

  #work(): void {
    if (this.#current || this.#isClosed) return
    for (const [account, log] of this.#due) {
      this.#due.delete(account)
      this.#current = { account, log, done: this.#carryNow(account, log) }
      return
    }
  }

  async #carryNow(account: string, log: LeftLog | OwnedLog): Promise<void> {
    try {
      await this.#carryBy((this.#thread ??= new CarrierThread()), log)
    } catch (error) {
      this.#tell(account, log, error)
      if (this.#thread?.hasEnded) this.#thread = undefined
    }
    this.#workedAtMs = performance.now()
    this.#current = undefined
    this.#work()
  }

  async #carryBy(thread: CarrierThread, log: LeftLog | OwnedLog): Promise<void> {
    if (!('owner' in log)) return await thread.carryOver(log)
    try {
      log.owner.hold()
      await thread.carryOver(log)
      await log.owner.pause(async () => await thread.carryRestOver(log))
    } finally {
      log.owner.letGo()
    }
  }

  /** A file that has been moved away is nobody's concern. */
  #tell(account: string, { file }: LeftLog, error: unknown): void {
    if (existsSync(file)) this.options.onTrouble(account, error)
  }

  #endThread(): void {
    this.#thread?.end()
    this.#thread = undefined
  }
}
