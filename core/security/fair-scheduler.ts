/**
 * Runs a limited number of tasks concurrently, one per account; accounts take turns, and within an account its
 * accesses.
 */
import { FairQueue, type Party } from '../../storage/scheduler.js'

/** Gives places to tasks. */
export class FairScheduler {
  #running = 0
  readonly #busy = new Set<string>()
  readonly #waiting = new FairQueue<() => void>()

  constructor(private readonly concurrency: number) {}

  /** Number of waiting tasks. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Returns the number of waiting tasks of an account, or of one of its accesses. */
  countWaiting(account: string, access?: string): number {
    return this.#waiting.countItems(account, access)
  }

  /**
   * Runs a task of a party once it is its turn. Settles as the task does. If `signal` aborts before, the task is not run; rejects
   * with its reason.
   */
  async run<T>(party: Party, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted()
    await new Promise<void>((resolve, reject) => {
      const start = (): void => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const leave = (): void => {
        this.#waiting.remove(item => item === start)
        reject(signal!.reason as Error)
      }
      signal?.addEventListener('abort', leave, { once: true })
      this.#waiting.add(party, start)
      this.#startNext()
    })
    try {
      return await work()
    } finally {
      this.#busy.delete(party.account)
      this.#running--
      this.#startNext()
    }
  }

  #startNext(): void {
    if (this.#running >= this.concurrency) return
    const next = this.#waiting.take(account => !this.#busy.has(account))
    if (!next) return
    this.#busy.add(next.account)
    this.#running++
    next.item()
  }
}
