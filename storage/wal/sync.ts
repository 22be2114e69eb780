/**
 * Makes commits durable without blocking the event loop: one `fdatasync` of the write-ahead log in the thread pool, between
 * the commit and its acknowledgement. (docs/decisions/0001-durable-before-the-answer.md)
 */
import { close, fdatasync, fsync, open, openSync, closeSync } from 'node:fs'
import { dirname } from 'node:path'
import { DiskReserve } from '../files/disk-reserve.js'
import type { Layout } from '../files/layout.js'
import { initializeLog, getLogPath, logSize } from '../sqlite/open.js'
import type { Durability, DurabilityProvider, FoundLog, OnDurable } from './durability.js'
import type { ClosedLog } from './closed-file.js'

/** Called when a sync fails. The process must stop: nothing can be acknowledged as durable any more. */
type OnSyncFailure = (error: Error) => void

/**
 * Detects the state of the log of a file that was just opened. `wasThere`: whether it existed before. `closedLog`: the
 * log with frames that closing the file left behind; if it is empty now, it was checkpointed and removed in the meantime.
 */
export function detectLog(file: string, wasThere: boolean, closedLog: ClosedLog | undefined): FoundLog {
  const isEmpty = logSize(file) === 0
  return {
    isNew: isEmpty && (closedLog !== undefined || !wasThere),
    isNamed: !isEmpty && closedLog?.isNamed === true
  }
}

/**
 * Creates the default durability scheme, which syncs the logs of all files. Opening a file never waits. While the disk
 * reserve is released, transactions throw `StorageFull`.
 */
export function createWalSyncs(layout: Layout, onFailure: OnSyncFailure): DurabilityProvider {
  const reserve = new DiskReserve(layout)
  return {
    waitUntilReady: () => undefined,
    open: ({ file }, found) => new WalSync(file, onFailure, found, reserve),
    close: () => Promise.resolve()
  }
}

/** Syncs the `-wal` file of one open connection, and is closed with it. */
export class WalSync implements Durability {
  /** Files have no position: everything is on the local disk. */
  readonly nextPosition = undefined
  #descriptor = -1
  #isSyncing = false
  #waiting: OnDurable[] = []
  #isNew: boolean
  #isNamed: boolean

  constructor(
    private readonly file: string,
    private readonly onFailure: OnSyncFailure,
    found: FoundLog = { isNew: false, isNamed: false },
    private readonly reserve?: Pick<DiskReserve, 'check'>
  ) {
    this.#isNew = found.isNew
    this.#isNamed = found.isNamed
  }

  /** Whether a sync is running: the connection must not be closed in the meantime. */
  get isBusy(): boolean {
    return this.#isSyncing
  }

  /** Whether the log's directory entry is on disk. */
  get isNamed(): boolean {
    return this.#isNamed
  }

  /**
   * Must be called before each transaction: writes the header of a new log, so that the commit does not sync it. Throws
   * `StorageFull` while the disk reserve is released.
   */
  begin(): void {
    this.reserve?.check()
    if (!this.#isNew) return
    this.#isNew = false
    initializeLog(this.file)
  }

  /** Nothing to do: the log is synced as a file. */
  capture(): void {}

  /** Must be called after each commit: syncs the log's directory entry even if nothing waits for durability. */
  committed(): void {
    if (!this.#isNamed && !this.#isSyncing) this.afterSync(() => {})
  }

  /**
   * Calls back when every commit so far is on disk. Starts another sync if one is already running, which may
   * miss the last. If the sync fails, `onFailure` is called instead.
   */
  afterSync(done: OnDurable): void {
    this.#waiting.push(done)
    if (!this.#isSyncing) this.#start()
  }

  /** Reads need not wait: they may return a commit whose sync is still running. */
  waitUntilConfirmed(): undefined {
    return undefined
  }

  waitUntilRestartable(): Promise<void> {
    return Promise.resolve()
  }

  close(): void {
    if (this.#descriptor >= 0) closeSync(this.#descriptor)
    this.#descriptor = -1
  }

  /** Syncs the log, and its folder if the log is new; then calls back everyone who has been waiting. */
  #start(): void {
    this.#isSyncing = true
    const waiting = this.#waiting
    this.#waiting = []
    // Opens the log only: closing any descriptor of the main file would drop SQLite's locks on it (POSIX).
    if (this.#descriptor < 0) {
      try {
        this.#descriptor = openSync(getLogPath(this.file), 'r+')
      } catch (error) {
        return this.onFailure(error as Error)
      }
    }
    fdatasync(this.#descriptor, error => {
      if (error) return this.onFailure(error)
      if (this.#isNamed) return this.#finish(waiting)
      syncDirectory(dirname(this.file), problem => {
        if (problem) return this.onFailure(problem)
        this.#isNamed = true
        this.#finish(waiting)
      })
    })
  }

  #finish(waiting: readonly OnDurable[]): void {
    this.#isSyncing = false
    for (const done of waiting) done()
    if (this.#waiting.length > 0 && !this.#isSyncing) this.#start()
  }
}

/** Syncs a folder: the directory entry of a new log. */
function syncDirectory(directory: string, done: (error: Error | null) => void): void {
  open(directory, 'r', (error, descriptor) => {
    if (error) return done(error)
    fsync(descriptor, syncError => close(descriptor, closeError => done(syncError ?? closeError ?? null)))
  })
}
