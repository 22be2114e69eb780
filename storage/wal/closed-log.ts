/** Write-ahead logs that wait for a checkpoint. */

/** The log that closing an account's file left behind. */
export interface ClosedLog {
  /** The main file. */
  readonly file: string
  /** Size of the log, in bytes. */
  readonly size: number
  /** Whether the log's directory entry is on disk. */
  readonly isNamed: boolean
}

/** The log of a file that stays open. */
export interface OwnedLog extends ClosedLog {
  readonly owner: LogOwner
}

/** The owner of an open file whose log is being checkpointed. */
export interface LogOwner {
  /** Called before the checkpoint. Keeps the log from being restarted within a commit, which would sync in the event loop. */
  preventRestart(): void
  /**
   * Runs `checkpointRest`, which checkpoints the rest and restarts the log, while writes wait; skips it if they cannot
   * wait now.
   */
  pause(checkpointRest: () => Promise<void>): Promise<void>
  /** Called afterwards, also on failure. */
  allowRestart(): void
}
