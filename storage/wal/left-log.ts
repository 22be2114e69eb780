/** A log that a store has left for others to work into its file. */

/** The log that the file of an account has been closed with. */
export interface LeftLog {
  /** The main file. */
  readonly file: string
  /** Of the log, in bytes. */
  readonly size: number
  /** Whether the log's name is on disk. */
  readonly isNamed: boolean
}

/** The log of a file that is open, and stays so. */
export interface OwnedLog extends LeftLog {
  readonly owner: LogOwner
}

/** Who has a file open whose log is carried over. */
export interface LogOwner {
  /** Called when it is the log's turn. From now on nobody may begin it again in the loop, which syncs. */
  hold(): void
  /** Has the rest of it carried over and the log begun again while nobody writes to the file; or not, if that cannot be now. */
  pause(carryRest: () => Promise<void>): Promise<void>
  /** Called in the end, whether it went well or not. */
  letGo(): void
}
