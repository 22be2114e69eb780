/** Runs a few tasks at a time, and one of each account; accounts take turns, and within an account its accesses. */
import { FairQueue, type Party } from '../../storage/scheduler.js'

export class FairScheduler {
  #running = 0
  readonly #busy = new Set<string>()
  readonly #waiting = new FairQueue<() => void>()

  constructor(private readonly concurrency: number) {}

  /** Number of waiting tasks. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Number of waiting tasks of an account. */
  countWaiting(account: string): number {
    return this.#waiting.countItems(account)
  }

  async run<T>(party: Party, work: () => Promise<T>): Promise<T> {
    await new Promise<void>(start => {
      this.#waiting.add(party, start)
      this.#next()
    })
    try {
      return await work()
    } finally {
      this.#busy.delete(party.account)
      this.#running--
      this.#next()
    }
  }

  #next(): void {
    if (this.#running >= this.concurrency) return
    const next = this.#waiting.take(account => !this.#busy.has(account))
    if (!next) return
    this.#busy.add(next.account)
    this.#running++
    next.item()
  }
}
