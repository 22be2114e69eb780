/** A bounded LRU pool of open user files. Idle files are closed; closing never waits for the disk. */
import { setImmediate as turn } from 'node:timers/promises'
import { nextTurn } from '../steps.js'
import { Checkpointer } from '../wal/checkpointer.js'
import { UserStore } from './user-store.js'
import type { ClosedLog } from '../wal/closed-file.js'

interface PoolOptions {
  /** Maximum number of open files; exceeded only if all of them are in the middle of a write. */
  readonly maxOpen: number
  /** Time without use after which a file is closed, in seconds. */
  readonly idleSeconds: number
  /** Longest time for checkpoints when closing all files, in seconds. Logs that remain are recovered as after a crash. */
  readonly closingSeconds: number
  /** Throws `StoreNotReady` if the file of an account cannot be opened yet. */
  assertReady?(account: string): void
  /** Opens the file of an account. `closedLog`: the log that closing it left behind, if any. */
  open(account: string, closedLog: ClosedLog | undefined): UserStore
  /** Called when a file's bookkeeping could not be written or it could not be closed. */
  onError(account: string, error: unknown): void
}

interface Entry {
  readonly account: string
  readonly store: UserStore
  usedAtMs: number
}

/** Interval of writing bookkeeping and closing idle files. */
const sweepMs = 1000
/** Time without use after which an open file releases its page cache, in milliseconds. */
const idleCacheMs = 2000
/**
 * Maximum number of files that keep a page cache, which takes 90 KB and more. If more files are in use at a time, each
 * is used rarely: its next call takes about 13 µs more, to read pages again.
 */
export const maxWarm = 100
/** Longest part of a sweep without returning to the event loop. */
const sliceMs = 2

export class StorePool {
  /** In order of use, the least recent first. */
  readonly #open = new Map<string, Entry>()
  /** Entries with a page cache, in order of use. */
  readonly #warm = new Set<Entry>()
  readonly #checkpointer: Checkpointer
  readonly #timer: NodeJS.Timeout
  #isSweeping = false

  constructor(private readonly options: PoolOptions) {
    this.#checkpointer = new Checkpointer(options)
    this.#timer = setInterval(() => void this.#sweep(), sweepMs)
    this.#timer.unref()
  }

  /** Number of open files. */
  get size(): number {
    return this.#open.size
  }

  /** The accounts whose files are open. */
  get accounts(): string[] {
    return Array.from(this.#open.keys())
  }

  /**
   * The store of an account, opened if needed. Valid until the next `await`. Throws `StoreNotReady`, and what
   * opening the file throws.
   */
  get(account: string): UserStore {
    const known = this.#open.get(account)
    if (known) {
      // Moves the entry to the end of the order of use, but not on every call.
      const nowMs = Date.now()
      if (nowMs - known.usedAtMs > sweepMs || !this.#warm.has(known)) this.#use(known, nowMs)
      return known.store
    }
    this.options.assertReady?.(account)
    this.#makeRoom()
    const store = this.options.open(account, this.#checkpointer.release(account))
    store.delegateCheckpoints(log => this.#checkpointer.checkpointNow(account, log))
    this.#use({ account, store, usedAtMs: 0 }, Date.now())
    return store
  }

  /** The store of an account if it is open. Does not count as a use. */
  peek(account: string): UserStore | undefined {
    return this.#open.get(account)?.store
  }

  /** Closes a file after its pending writes, and checkpoints it, so that only the main file is left. */
  async close(account: string): Promise<void> {
    await this.#closeWith(account, store =>
      store.closeWithoutSync(log => this.#checkpointer.add(account, log))
    )
    await this.#checkpointer.checkpoint(account)
  }

  /** Closes a file that is about to be removed, without writing its bookkeeping. */
  async discard(account: string): Promise<void> {
    await this.#closeWith(account, store => store.closeForRemoval())
    await this.#checkpointer.discard(account)
  }

  /** Closes all files at shutdown. Checkpoints run in this thread until the time is up: no calls are served any more. */
  async closeAll(): Promise<void> {
    clearInterval(this.#timer)
    const deadlineMs = performance.now() + this.options.closingSeconds * 1000
    for (const account of Array.from(this.#open.keys())) {
      try {
        await this.#closeWith(account, store =>
          performance.now() < deadlineMs ? store.close() : store.closeWithoutSync(() => {})
        )
      } catch (error) {
        this.options.onError(account, error)
      }
    }
    await this.#checkpointer.close(deadlineMs)
  }

  /** Closes the file of an account once its writes are settled. Does nothing if it is not open. */
  async #closeWith(account: string, close: (store: UserStore) => void): Promise<void> {
    const entry = this.#open.get(account)
    if (!entry) return
    while (!entry.store.isIdle) {
      await entry.store.waitUntilSettled()
      // Waiting writes begin in separate turns.
      await turn()
    }
    // The file may have been closed and opened again in the meantime.
    if (this.#open.get(account) === entry) this.#open.delete(account)
    this.#warm.delete(entry)
    close(entry.store)
  }

  /** Makes an entry the last in the order of use. */
  #use(entry: Entry, nowMs: number): void {
    entry.usedAtMs = nowMs
    this.#open.delete(entry.account)
    this.#open.set(entry.account, entry)
    this.#warm.delete(entry)
    this.#warm.add(entry)
    const [coolest] = this.#warm
    if (coolest && this.#warm.size > maxWarm)
      this.#reportErrors(coolest.account, () => this.#releaseMemory(coolest))
  }

  #releaseMemory(entry: Entry): void {
    this.#warm.delete(entry)
    entry.store.releaseMemory()
  }

  #makeRoom(): void {
    for (const entry of this.#open.values()) {
      if (this.#open.size < this.options.maxOpen) return
      if (entry.store.isIdle) this.#closeNow(entry)
    }
  }

  /** Maintains all files. In slices, since a thousand of them take a while. */
  async #sweep(): Promise<void> {
    this.#checkpointer.startDue()
    if (this.#isSweeping) return
    this.#isSweeping = true
    const nowMs = Date.now()
    const idleSinceMs = nowMs - this.options.idleSeconds * 1000
    let startMs = performance.now()
    for (const account of Array.from(this.#open.keys())) {
      if (performance.now() - startMs > sliceMs) {
        await nextTurn()
        startMs = performance.now()
      }
      const entry = this.#open.get(account)
      if (!entry) continue
      if (entry.usedAtMs < idleSinceMs && entry.store.isIdle) this.#closeNow(entry)
      else this.#reportErrors(account, () => this.#maintain(entry, nowMs))
    }
    this.#isSweeping = false
  }

  /** Writes a file's bookkeeping, and releases memory if it has not been used for a while. */
  #maintain(entry: Entry, nowMs: number): void {
    const hasWritten = entry.store.flushUsage()
    // Writing has read pages again.
    if (this.#warm.has(entry) ? entry.usedAtMs <= nowMs - idleCacheMs : hasWritten) this.#releaseMemory(entry)
  }

  #closeNow(entry: Entry): void {
    const { account, store } = entry
    this.#open.delete(account)
    this.#warm.delete(entry)
    this.#reportErrors(account, () => store.closeWithoutSync(log => this.#checkpointer.add(account, log)))
  }

  #reportErrors(account: string, work: () => void): void {
    try {
      work()
    } catch (error) {
      this.options.onError(account, error)
    }
  }
}
