/** The users' files that are open: bounded, least recently used out first, closed when idle. Closing never waits for the disk. */
import { setImmediate as turn } from 'node:timers/promises'
import { Checkpointer } from '../wal/checkpointer.js'
import { UserStore } from './user-store.js'
import type { LeftLog } from '../wal/left-log.js'

export interface PoolOptions {
  /** Files open at the same time, unless more are in the middle of a write. */
  readonly maxOpen: number
  /** Seconds without use after which a file is closed. */
  readonly idleSeconds: number
  /** Seconds that closing all may take for carrying logs over: what remains is left as a crash leaves it. */
  readonly closingSeconds: number
  /** Opens the file of an account. `left`: the log that was left when it was closed, if there was one. */
  open(account: string, left: LeftLog | undefined): UserStore
  /** Told of a file whose bookkeeping could not be written or that could not be closed; the service goes on. */
  onTrouble(account: string, error: unknown): void
}

interface Entry {
  readonly store: UserStore
  usedAtMs: number
  isResting: boolean
}

/** How often counters are written and idle files closed. */
const sweepMs = 1000
/** Time without use after which a file that stays open gives back the memory that its pages take. */
const restMs = 2000
/** Longest stretch of a sweep, after which others get their turn. */
const sliceMs = 2

export class StorePool {
  /** In order of use, the least recent first. */
  readonly #open = new Map<string, Entry>()
  readonly #logs: Checkpointer
  readonly #timer: NodeJS.Timeout
  #isSweeping = false

  constructor(private readonly options: PoolOptions) {
    this.#logs = new Checkpointer(options)
    this.#timer = setInterval(() => void this.#sweep(), sweepMs)
    this.#timer.unref()
  }

  get size(): number {
    return this.#open.size
  }

  /** The store of an account, opened if need be. Good until the next `await`, not longer. */
  get(account: string): UserStore {
    const known = this.#open.get(account)
    if (known) {
      // Moving an entry to the end keeps the order of use; it is spared while the entry is fresh.
      const nowMs = Date.now()
      if (nowMs - known.usedAtMs > sweepMs) {
        known.usedAtMs = nowMs
        known.isResting = false
        this.#open.delete(account)
        this.#open.set(account, known)
      }
      return known.store
    }
    this.#makeRoom()
    const store = this.options.open(account, this.#logs.take(account))
    store.checkpointBy(log => this.#logs.carryNow(account, log))
    this.#open.set(account, { store, usedAtMs: Date.now(), isResting: false })
    return store
  }

  /** The store of an account if it is open; this does not count as a use. */
  peek(account: string): UserStore | undefined {
    return this.#open.get(account)?.store
  }

  /** Closes one file, waiting for what is being written: nothing is left beside the main file then. */
  async close(account: string): Promise<void> {
    await this.#closeWith(account, store => store.leave(log => this.#logs.add(account, log)))
    await this.#logs.carry(account)
  }

  /** Closes a file that is about to be removed: what could still be written to it does not matter. */
  async discard(account: string): Promise<void> {
    await this.#closeWith(account, store => store.abandon())
    await this.#logs.drop(account)
  }

  /** Closes all files. Nobody is served any more: what has to be carried over is, here and now, while there is time. */
  async closeAll(): Promise<void> {
    clearInterval(this.#timer)
    const deadlineMs = performance.now() + this.options.closingSeconds * 1000
    for (const account of Array.from(this.#open.keys())) {
      try {
        await this.#closeWith(account, store =>
          performance.now() < deadlineMs ? store.close() : store.leave(() => {})
        )
      } catch (error) {
        this.options.onTrouble(account, error)
      }
    }
    await this.#logs.close(deadlineMs)
  }

  async #closeWith(account: string, close: (store: UserStore) => void): Promise<void> {
    const entry = this.#open.get(account)
    if (!entry) return
    while (!entry.store.isIdle) await entry.store.settled()
    // Somebody else may have closed it meanwhile, and opened it again.
    if (this.#open.get(account) === entry) this.#open.delete(account)
    close(entry.store)
  }

  #makeRoom(): void {
    for (const [account, { store }] of this.#open) {
      if (this.#open.size < this.options.maxOpen) return
      if (store.isIdle) this.#closeNow(account, store)
    }
  }

  /** Goes through all files, in stretches: a thousand of them take a while. */
  async #sweep(): Promise<void> {
    this.#logs.sweep()
    if (this.#isSweeping) return
    this.#isSweeping = true
    const nowMs = Date.now()
    const longAgoMs = nowMs - this.options.idleSeconds * 1000
    let begunMs = performance.now()
    for (const account of Array.from(this.#open.keys())) {
      if (performance.now() - begunMs > sliceMs) {
        await turn()
        begunMs = performance.now()
      }
      const entry = this.#open.get(account)
      if (!entry) continue
      if (entry.usedAtMs < longAgoMs && entry.store.isIdle) this.#closeNow(account, entry.store)
      else this.#guard(account, () => tend(entry, nowMs))
    }
    this.#isSweeping = false
  }

  #closeNow(account: string, store: UserStore): void {
    this.#open.delete(account)
    this.#guard(account, () => store.leave(log => this.#logs.add(account, log)))
  }

  #guard(account: string, work: () => void): void {
    try {
      work()
    } catch (error) {
      this.options.onTrouble(account, error)
    }
  }
}

/** Writes what was only counted in memory. A file that is not used at present gives some of its memory back. */
function tend(entry: Entry, nowMs: number): void {
  entry.store.flushUsage()
  if (entry.isResting || entry.usedAtMs > nowMs - restMs) return
  entry.isResting = true
  entry.store.releaseMemory()
}
