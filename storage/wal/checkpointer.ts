/**
 * Checkpoints the write-ahead logs that closed files left behind: long ones soon, others once the account has not been
 * used for a while. A checkpoint syncs, so it runs in a worker thread.
 */
import { existsSync } from 'node:fs'
import { CheckpointThread } from './checkpoint-thread.js'
import { checkpointLog } from '../sqlite/open.js'
import type { ClosedLog, OwnedLog } from './closed-file.js'

interface CheckpointerOptions {
  /** Time that a log rests before its checkpoint, in seconds: if the file is opened again in the meantime, the log is reused. */
  readonly idleSeconds: number
  /** Called when a checkpoint failed. Nothing is lost: the log stays valid. */
  onError(account: string, error: unknown): void
}

/** Logs of this size do not rest, because opening a file reads its whole log. */
const longBytes = 256 * 1024
/** Maximum number of resting logs. */
const maxResting = 10_000
/** Time without work after which the thread ends, in milliseconds, since it takes 8 MB. */
const threadIdleMs = 10_000

export class Checkpointer {
  /** In the order in which they were added. */
  readonly #resting = new Map<string, ClosedLog & { readonly untilMs: number }>()
  #due = new Map<string, ClosedLog | OwnedLog>()
  #current: { readonly account: string; readonly log: ClosedLog; readonly done: Promise<void> } | undefined
  #thread: CheckpointThread | undefined
  #workedAtMs = 0
  #isClosed = false

  constructor(private readonly options: CheckpointerOptions) {}

  /** Number of waiting logs. */
  get size(): number {
    return this.#resting.size + this.#due.size
  }

  /**
   * Adds the log of a closed file. Long logs are checkpointed at once, or after those that are waiting; others rest for
   * `idleSeconds`, in case the file is opened again.
   */
  add(account: string, log: ClosedLog): void {
    if (log.size < longBytes) {
      this.#resting.set(account, { ...log, untilMs: performance.now() + this.options.idleSeconds * 1000 })
      return
    }
    this.#due.set(account, log)
    this.#startNext()
  }

  /** Checkpoints the log of an open file, before others. Resolves whether or not that succeeds. */
  async checkpointNow(account: string, log: OwnedLog): Promise<void> {
    this.#due.set(account, log)
    this.#startNext()
    await this.checkpoint(account)
  }

  /**
   * Releases a log whose file is about to be opened; its checkpoint may still be running. Returns the log as it was
   * left behind.
   */
  release(account: string): ClosedLog | undefined {
    const log = this.#find(account)
    this.#resting.delete(account)
    this.#due.delete(account)
    return log
  }

  /** Checkpoints the log of an account, if it left one. Resolves when that is done, or when the file has been opened. */
  async checkpoint(account: string): Promise<void> {
    const log = this.#resting.get(account) ?? this.#due.get(account)
    if (log) {
      this.#resting.delete(account)
      this.#due.delete(account)
      this.#due = new Map([[account, log], ...this.#due])
      this.#startNext()
    }
    while (this.#current && (this.#due.has(account) || this.#current.account === account))
      await this.#current.done
  }

  /** Releases the log of an account that is to be removed. Resolves when its checkpoint no longer runs. */
  async discard(account: string): Promise<void> {
    this.release(account)
    while (this.#current?.account === account) await this.#current.done
  }

  /** Starts on logs that have rested long enough. Must be called periodically. */
  startDue(): void {
    const nowMs = performance.now()
    for (const [account, log] of this.#resting) {
      if (log.untilMs > nowMs && this.#resting.size <= maxResting) break
      this.#resting.delete(account)
      this.#due.set(account, log)
    }
    this.#startNext()
    if (this.#thread && !this.#current && nowMs - this.#workedAtMs > threadIdleMs) this.#endThread()
  }

  /** Checkpoints all waiting logs in this thread, until the deadline. Logs that remain are recovered as after a crash. */
  async close(deadlineMs: number): Promise<void> {
    this.#isClosed = true
    await this.#current?.done
    this.#endThread()
    for (const [account, log] of [...this.#due, ...this.#resting]) {
      if (performance.now() >= deadlineMs) return
      this.release(account)
      try {
        checkpointLog(log.file, log.isNamed)
      } catch (error) {
        this.#report(account, log, error)
      }
    }
  }

  #find(account: string): ClosedLog | undefined {
    const current = this.#current?.account === account ? this.#current.log : undefined
    return this.#resting.get(account) ?? this.#due.get(account) ?? current
  }

  #startNext(): void {
    if (this.#current || this.#isClosed) return
    for (const [account, log] of this.#due) {
      this.#due.delete(account)
      this.#current = { account, log, done: this.#checkpoint(account, log) }
      return
    }
  }

  async #checkpoint(account: string, log: ClosedLog | OwnedLog): Promise<void> {
    try {
      await this.#checkpointWith((this.#thread ??= new CheckpointThread()), log)
    } catch (error) {
      this.#report(account, log, error)
      if (this.#thread?.hasEnded) this.#thread = undefined
    }
    this.#workedAtMs = performance.now()
    this.#current = undefined
    this.#startNext()
  }

  async #checkpointWith(thread: CheckpointThread, log: ClosedLog | OwnedLog): Promise<void> {
    if (!('owner' in log)) return await thread.checkpoint(log)
    try {
      log.owner.preventRestart()
      await thread.checkpoint(log)
      await log.owner.pause(async () => await thread.checkpointAndRestart(log))
    } finally {
      log.owner.allowRestart()
    }
  }

  /** Reports a failure, unless the file has been moved away for removal. */
  #report(account: string, { file }: ClosedLog, error: unknown): void {
    if (existsSync(file)) this.options.onError(account, error)
  }

  #endThread(): void {
    this.#thread?.end()
    this.#thread = undefined
  }
}
