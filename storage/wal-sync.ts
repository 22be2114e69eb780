/**
 * Makes commits durable without stopping the event loop: one `fdatasync` of the write-ahead log, off-thread, started
 * after the commit has returned and finished before anybody is told. README, Decisions, says why this is safe.
 */
import { close, fdatasync, fsync, open, openSync, closeSync } from 'node:fs'
import { dirname } from 'node:path'

/** Told when a sync failed. Nothing more may be acknowledged then: the process has to stop. */
export type OnSyncFailure = (error: Error) => void

/** Syncs the `-wal` file of one open handle. It lives and dies with that handle. */
export class WalSync {
  #descriptor = -1
  #isSyncing = false
  #waiting: (() => void)[] = []

  constructor(
    private readonly file: string,
    private readonly onFailure: OnSyncFailure
  ) {}

  /** Whether a sync runs or is waited for: the handle must not be closed meanwhile. */
  get isBusy(): boolean {
    return this.#isSyncing
  }

  /** Calls back when every commit that has returned by now is on disk. A sync that is under way does not count. */
  afterSync(done: () => void): void {
    this.#waiting.push(done)
    if (!this.#isSyncing) this.#start()
  }

  close(): void {
    if (this.#descriptor >= 0) closeSync(this.#descriptor)
    this.#descriptor = -1
  }

  #start(): void {
    this.#isSyncing = true
    const served = this.#waiting
    this.#waiting = []
    const isFirst = this.#descriptor < 0
    // Only the log is opened. Closing any descriptor of the main file would drop SQLite's locks on it (POSIX).
    if (isFirst) {
      try {
        this.#descriptor = openSync(`${this.file}-wal`, 'r+')
      } catch (error) {
        return this.onFailure(error as Error)
      }
    }
    fdatasync(this.#descriptor, error => {
      if (error) return this.onFailure(error)
      if (isFirst)
        syncDirectory(dirname(this.file), problem =>
          problem ? this.onFailure(problem) : this.#finish(served)
        )
      else this.#finish(served)
    })
  }

  #finish(served: readonly (() => void)[]): void {
    this.#isSyncing = false
    for (const done of served) done()
    if (this.#waiting.length > 0 && !this.#isSyncing) this.#start()
  }
}

/** Makes the entries of a folder durable: the log's own name, when it was just created. */
function syncDirectory(directory: string, done: (error: Error | null) => void): void {
  open(directory, 'r', (error, descriptor) => {
    if (error) return done(error)
    fsync(descriptor, syncError => close(descriptor, closeError => done(syncError ?? closeError ?? null)))
  })
}
