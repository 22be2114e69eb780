/**
 * Makes commits durable without stopping the event loop: one `fdatasync` of the write-ahead log, off-thread, started
 * after the commit has returned and finished before anybody is told. (docs/decisions/0001-durable-before-the-answer.md)
 */
import { close, fdatasync, fsync, open, openSync, closeSync } from 'node:fs'
import { dirname } from 'node:path'
import { beginLog, logOf, logSize } from '../sqlite/open.js'
import type { LeftLog } from './left-log.js'

/** Told when a sync failed. Nothing more may be acknowledged then: the process has to stop. */
export type OnSyncFailure = (error: Error) => void

/** How the log of a file was found. */
export interface FoundLog {
  /** There was none: it has been made with the handle. */
  readonly isNew: boolean
  /** It holds frames, and its name is on disk. */
  readonly isNamed: boolean
}

/**
 * How the log of a file is that has just been opened. `wasThere`: whether there was one before. `left`: the one that had been
 * left behind, with frames in it; if it is empty now, that one has been carried over and removed meanwhile.
 */
export function foundLog(file: string, wasThere: boolean, left: LeftLog | undefined): FoundLog {
  const isEmpty = logSize(file) === 0
  return { isNew: isEmpty && (left !== undefined || !wasThere), isNamed: !isEmpty && left?.isNamed === true }
}

/** Syncs the `-wal` file of one open handle. It lives and dies with that handle. */
export class WalSync {
  #descriptor = -1
  #isSyncing = false
  #waiting: (() => void)[] = []
  #isNew: boolean
  #isNamed: boolean

  constructor(
    private readonly file: string,
    private readonly onFailure: OnSyncFailure,
    found: FoundLog = { isNew: false, isNamed: false }
  ) {
    this.#isNew = found.isNew
    this.#isNamed = found.isNamed
  }

  /** Whether a sync runs or is waited for: the handle must not be closed meanwhile. */
  get isBusy(): boolean {
    return this.#isSyncing
  }

  /** Whether the log's name is on disk. */
  get isNamed(): boolean {
    return this.#isNamed
  }

  /** To be called before each commit: it must not sync the head of a new log. */
  begin(): void {
    if (!this.#isNew) return
    this.#isNew = false
    beginLog(this.file)
  }

  /** To be called after each commit: brings the log's name to disk, should nobody wait for that. */
  committed(): void {
    if (!this.#isNamed && !this.#isSyncing) this.afterSync(() => {})
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
    // Only the log is opened. Closing any descriptor of the main file would drop SQLite's locks on it (POSIX).
    if (this.#descriptor < 0) {
      try {
        this.#descriptor = openSync(logOf(this.file), 'r+')
      } catch (error) {
        return this.onFailure(error as Error)
      }
    }
    fdatasync(this.#descriptor, error => {
      if (error) return this.onFailure(error)
      if (this.#isNamed) return this.#finish(served)
      syncDirectory(dirname(this.file), problem => {
        if (problem) return this.onFailure(problem)
        this.#isNamed = true
        this.#finish(served)
      })
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
