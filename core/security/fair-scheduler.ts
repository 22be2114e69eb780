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

  /** Whether tasks wait of accounts of which none runs. */
  get areOthersWaiting(): boolean {
    let count = this.#waiting.size
    for (const account of this.#busy) count -= this.#waiting.countItems(account)
    return count > 0
  }

  /** Returns the number of waiting tasks of an account, or of one of its accesses. */
  countWaiting(account: string, access?: string): number {
    return this.#waiting.countItems(account, access)
  }

  /**
   * Runs a task of a party once it is its turn. Settles as the task does. If `signal` aborts before, the task is not run; rejects
   * with its reason. The task may call `leavePlace` to let a task of another account run beside it.
   */
  async run<T>(party: Party, work: (leavePlace: () => void) => Promise<T>, signal?: AbortSignal): Promise<T> {
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
    let hasPlace = true
    const leavePlace = (): void => {
      if (hasPlace) this.#running--
      hasPlace = false
      this.#startNext()
    }
    try {
      return await work(leavePlace)
    } finally {
      this.#busy.delete(party.account)
      leavePlace()
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
