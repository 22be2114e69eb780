/** What the logs of accounts need, and what they tell of. */
import type { Layout } from '../storage/files/layout.js'
import type { Log } from './engine.js'
import type { PlacementOptions } from './files/placement.js'
import type { Objects } from './objects.js'
import type { Tally } from './tally.js'

export interface ShippedLogsOptions extends Pick<PlacementOptions, 'ownerOf'> {
  readonly log: Log
  readonly objects: Objects
  /** Where the accounts' files are. */
  readonly layout: Layout
  /** The subject of an account's log. */
  getSubject(account: string): string
  /** Whether this process serves an account; by default it does. One that it no longer serves is to be let go at once. */
  isServedHere?(account: string): boolean
  /** Whether no other process can have taken over what this one serves. By default it takes the log's word for it. */
  isCertain?(): boolean
  /** Whether the log of an account is known to be whole where it is read from. By default it is taken for that. */
  isLogComplete?(account: string): Promise<boolean>
  /**
   * Whether the logs are being begun with files that nobody else has, for the first time: then one that is missing has never been
   * there, however far its file is.
   */
  readonly isFirstStart?: boolean
  /** Bytes of records from which on they are replaced by a snapshot, or a quarter of the file if that has more. */
  readonly snapshotBytes: number
  /** Time after a failure within which no snapshot is made, in milliseconds; half a minute by default. */
  readonly snapshotRetryMs?: number
  /** Time after which whoever waits for a record is told that it cannot be confirmed, in milliseconds. */
  readonly timeoutMs: number
  /** Counts what happens. */
  readonly tally?: Tally
  /**
   * Called when another process has taken an account over, its changes cannot be taken from its file, or its file cannot be
   * made of its log.
   */
  onError(account: string, error: Error): void
}
