/** What methods ask of imports: the work itself is done between calls. */
import type { Account } from '../../storage/platform/account.js'

/** How far reading a file is. */
export interface ImportProgress {
  /** It is read twice: once to count, once more to compare or write. */
  readonly pass: 1 | 2
  /** Bytes. */
  readonly done: number
  readonly total: number
}

export interface Imports {
  /** Number of files that are being read, and of those that wait for it. */
  readonly load: { readonly running: number; readonly waiting: number }
  /** Does what the state of an import asks for, once the present write is on disk and its turn has come. */
  begin(account: Account, id: string): void
  /** Ends the work on an import; resolves when nothing more is written. */
  stop(account: Account, id: string): Promise<void>
  /** `undefined` where nothing is going on. */
  progress(id: string): ImportProgress | undefined
  /** Whether somebody works on an import, or is about to. */
  isAtWork(id: string): boolean
  /** Goes on with what nobody works on although it is not finished: an earlier attempt could not even note that it failed. */
  goOn(account: Account): void
  /** Goes on with what another process has left unfinished, which served the account until it died or moved it here. */
  resume(account: Account): void
  /** Goes on with what was left unfinished, of accounts that are served here from now on. */
  takeUp(): void
  /** Ends the work on accounts that are not served here any more, where it is. */
  leave(): Promise<void>
  /** Removes the files of an account that have waited for too long, or that belong to no import any more. */
  expire(account: Account): Promise<void>
  /** Has the file of an import here, if it is anywhere: another process may have received it. */
  fetch(account: Account, id: string): Promise<void>
  /** Whether the file of an import is still here. */
  hasFile(account: Account, id: string): boolean
  /** Whether an import of the account is being worked on. */
  isWorking(account: Account): boolean
}
