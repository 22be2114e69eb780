/** The options of the logs of accounts. */
import type { Layout } from '../storage/files/layout.js'
import type { Log } from './engine.js'
import type { PlacementOptions } from './files/placement.js'
import type { Objects } from './objects.js'
import type { Tally } from './tally.js'

export interface ShippedLogsOptions extends Pick<PlacementOptions, 'findOwner'> {
  readonly log: Log
  readonly objects: Objects
  /** Contains the accounts' files. */
  readonly layout: Layout
  /** Returns the subject of an account's log. */
  getSubject(account: string): string
  /**
   * Returns whether this process serves an account; true by default. Accounts that it does not serve are released at
   * once.
   */
  isServedHere?(account: string): boolean
  /**
   * Returns whether it is certain that no other process has taken over what this one serves. Without this function only
   * the log decides.
   */
  isCertain?(): boolean
  /**
   * Returns whether the log of an account is known to be complete where it is read from. Without this function, logs
   * count as complete.
   */
  isLogComplete?(account: string): Promise<boolean>
  /**
   * True while the logs are begun for the first time, with files that no other node has: a missing log has then never
   * existed, whatever the position of its file.
   */
  readonly isFirstStart?: boolean
  /**
   * Size of the records, in bytes, above which a snapshot replaces them; or a quarter of the file's size if that is more.
   */
  readonly snapshotBytes: number
  /** Time after a failure within which no snapshot is made, in milliseconds; half a minute by default. */
  readonly snapshotRetryMs?: number
  /** Time after which waiting callers get the error that a record cannot be confirmed, in milliseconds. */
  readonly timeoutMs: number
  /** Counts events. */
  readonly tally?: Tally
  /**
   * Called when another process has taken over an account, its changes cannot be read from its file, or its file cannot
   * be restored from its log.
   */
  onError(account: string, error: Error): void
}
