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

  /** Returns number of waiting tasks of an account. */
  countWaiting(account: string): number {
    return this.#waiting.countItems(account)
  }

  /** Runs a task of a party once it is its turn. Settles as the task does. */
  async run<T>(party: Party, work: () => Promise<T>): Promise<T> {
    await new Promise<void>(start => {
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
