/**
 * Limits how many received files are put on disk at a time. Each takes a thread in which commits are synced, too, and a descriptor:
 * otherwise one client with many forms could delay the commits of all accounts, and take all descriptors.
 */
import { FairQueue, type Party } from '../scheduler.js'

/** Maximum number of files at a time: half of the threads for work on files. */
const maxRunning = 8

/** Gives turns to accounts, within an account to its accesses. */
export class DiskTurns {
  readonly #waiting = new FairQueue<() => void>()
  #running = 0

  /** Runs work that depends on the disk only, when it is the party's turn. */
  async run<T>(party: Party, work: () => Promise<T>): Promise<T> {
    if (this.#running < maxRunning) this.#running++
    else await new Promise<void>(resolve => this.#waiting.add(party, resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.take()
      if (next) next.item()
      else this.#running--
    }
  }
}
