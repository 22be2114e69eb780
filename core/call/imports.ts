/** The interface of methods to imports, which run between calls. */
import type { Account } from '../../storage/platform/account.js'

/** The progress of reading a file. */
export interface ImportProgress {
  /** A file is read twice: once to count records, once to compare or write them. */
  readonly pass: 1 | 2
  /** Bytes. */
  readonly done: number
  readonly total: number
}

export interface Imports {
  /** Number of files that are being read, and that are waiting to be read. */
  readonly load: { readonly running: number; readonly waiting: number }
  /** Starts the work that the state of an import calls for, after the current write is on disk and when its turn comes. */
  begin(account: Account, id: string): void
  /** Stops the work on an import. Resolves when nothing more is written. */
  stop(account: Account, id: string): Promise<void>
  /** Returns the progress of an import; `undefined` if no thread works on the import. */
  getProgress(id: string): ImportProgress | undefined
  /** Returns true if an import is running or queued. */
  isActive(id: string): boolean
  /** Resumes unfinished imports of an account that are not running: an earlier attempt could not save that it failed. */
  resumePending(account: Account): void
  /** Resumes imports left unfinished by another process, which served the account until it failed or moved it here. */
  resumeAfterTakeover(account: Account): void
  /** Resumes the unfinished imports of all accounts served here. */
  resumeAll(): void
  /** Stops the imports of accounts that are no longer served here. */
  stopReleased(): Promise<void>
  /** Removes the files of an account that have waited for too long, or that belong to no import. */
  expireFiles(account: Account): Promise<void>
  /**
   * Prepares an import for its next start: waits for the end of work that was cancelled or has failed, and fetches the file if another
   * process has received it. Error: `unknown-resource`.
   */
  prepare(account: Account, id: string): Promise<void>
  /** Returns true if the file of an import exists here. */
  hasFile(account: Account, id: string): boolean
  /** Returns true if an import of the account is running. */
  hasRunning(account: Account): boolean
}
