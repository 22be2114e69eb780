/** The users' files that are open: bounded, least recently used out first, closed when idle. */
import { UserStore } from './user-store.js'

export interface PoolOptions {
  /** Files open at the same time, unless more are in the middle of a write. */
  readonly maxOpen: number
  /** Seconds without use after which a file is closed. */
  readonly idleSeconds: number
  /** Opens the file of an account. */
  open(account: string): UserStore
  /** Told of a file whose bookkeeping could not be written or that could not be closed; the service goes on. */
  onTrouble(account: string, error: unknown): void
}

interface Entry {
  readonly store: UserStore
  usedAtMs: number
}

/** How often counters are written and idle files closed. */
const sweepMs = 1000

export class StorePool {
  /** In order of use, the least recent first. */
  readonly #open = new Map<string, Entry>()
  readonly #timer: NodeJS.Timeout

  constructor(private readonly options: PoolOptions) {
    this.#timer = setInterval(() => this.#sweep(), sweepMs)
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
        this.#open.delete(account)
        this.#open.set(account, known)
      }
      return known.store
    }
    this.#makeRoom()
    const store = this.options.open(account)
    this.#open.set(account, { store, usedAtMs: Date.now() })
    return store
  }

  /** The store of an account if it is open; this does not count as a use. */
  peek(account: string): UserStore | undefined {
    return this.#open.get(account)?.store
  }

  /** Closes one file, waiting for what is being written. */
  async close(account: string): Promise<void> {
    const entry = this.#open.get(account)
    if (!entry) return
    while (!entry.store.isIdle) await entry.store.durable()
    // Somebody else may have closed it meanwhile, and opened it again.
    if (this.#open.get(account) === entry) this.#open.delete(account)
    entry.store.close()
  }

  /** Closes a file that is about to be removed: what could still be written to it does not matter. */
  async discard(account: string): Promise<void> {
    const entry = this.#open.get(account)
    if (!entry) return
    while (!entry.store.isIdle) await entry.store.durable()
    if (this.#open.get(account) === entry) this.#open.delete(account)
    entry.store.abandon()
  }

  /** Closes all files. */
  async closeAll(): Promise<void> {
    clearInterval(this.#timer)
    for (const account of Array.from(this.#open.keys())) {
      try {
        await this.close(account)
      } catch (error) {
        this.options.onTrouble(account, error)
      }
    }
  }

  #makeRoom(): void {
    for (const [account, { store }] of this.#open) {
      if (this.#open.size < this.options.maxOpen) return
      if (store.isIdle) this.#closeNow(account, store)
    }
  }

  #sweep(): void {
    const longAgoMs = Date.now() - this.options.idleSeconds * 1000
    for (const [account, { store, usedAtMs }] of this.#open) {
      if (usedAtMs < longAgoMs && store.isIdle) this.#closeNow(account, store)
      else this.#guard(account, () => store.flushUsage())
    }
  }

  #closeNow(account: string, store: UserStore): void {
    this.#open.delete(account)
    this.#guard(account, () => store.close())
  }

  #guard(account: string, work: () => void): void {
    try {
      work()
    } catch (error) {
      this.options.onTrouble(account, error)
    }
  }
}
