/** Operations on files that are closed, or open in another process, and on their logs that wait for a checkpoint. */
import { existsSync, rmSync } from 'node:fs'
import { openUnchecked, getLogPath } from '../sqlite/open.js'
import { column } from '../sqlite/statements.js'
import { addPosition, dropPosition, readPosition, type Position } from './position.js'

/**
 * Reads a file's position, including its log; `undefined` if the file is missing, cannot be read, or never had a
 * position. Changes nothing.
 */
export function readFilePosition(file: string): Position | undefined {
  if (!existsSync(file)) return undefined
  try {
    const db = openUnchecked(file, true)
    try {
      return readPosition(db)
    } finally {
      db.close()
    }
  } catch {
    return undefined
  }
}

/** Merges the log of a closed file into it, and removes the log. Blocking. Throws what SQLite throws. */
export function mergeLog(file: string): void {
  const db = openUnchecked(file, false)
  try {
    db.pragma('synchronous = FULL')
    db.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    db.close()
  }
  // Closing removes it, unless another connection is open; an empty one has no effect.
  for (const kind of ['-wal', '-shm']) rmSync(file + kind, { force: true })
}

/** Sets the position of a closed file, including its log. Blocking. Throws what SQLite throws. */
export function setPosition(file: string, position: Position): void {
  const db = openUnchecked(file, false)
  try {
    db.pragma('synchronous = FULL')
    addPosition(db, position)
  } finally {
    db.close()
  }
  mergeLog(file)
}

/**
 * Reads the position of a closed file after an integrity check; `undefined` if it is damaged, or never had a position.
 * Reads the whole file. Blocking.
 */
export function readVerifiedPosition(file: string): Position | undefined {
  try {
    const db = openUnchecked(file, false)
    try {
      const [found] = column(db, 'PRAGMA integrity_check(1)').all() as string[]
      return found === 'ok' ? readPosition(db) : undefined
    } finally {
      db.close()
    }
  } catch {
    return undefined
  }
}

/** Removes the position of a closed file: its content comes from elsewhere. Blocking. */
export function removePosition(file: string): void {
  const db = openUnchecked(file, false)
  try {
    dropPosition(db)
  } finally {
    db.close()
  }
}

/** Lists the paths of the files that a file in use consists of. */
export function listFilePaths(file: string): string[] {
  return [file, getLogPath(file), `${file}-shm`]
}

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
