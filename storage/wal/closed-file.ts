/** Files that are not open, or open elsewhere, as far as whoever takes them from one machine to another needs to know them. */
import { existsSync, rmSync } from 'node:fs'
import { openUnchecked, getLogPath } from '../sqlite/open.js'
import { column } from '../sqlite/statements.js'
import { addPosition, dropPosition, readPosition, type Position } from './position.js'

/**
 * How far a file is, with what its log holds; `undefined` if there is none, or it cannot be read, or never had a position.
 * Changes nothing.
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

/** Puts what the log of a closed file holds into the file, which is all there is afterwards. Blocking. Throws what SQLite does. */
export function mergeLog(file: string): void {
  const db = openUnchecked(file, false)
  try {
    db.pragma('synchronous = FULL')
    db.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    db.close()
  }
  // Closing removes it, unless something has it open; empty, it says nothing.
  for (const kind of ['-wal', '-shm']) rmSync(file + kind, { force: true })
}

/** Gives a closed file, with what its log holds, its first position, or another one. Blocking. Throws what SQLite does. */
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
 * How far a closed file is that is whole; `undefined` if it is damaged, or never had a position. Reads all of it. Blocking.
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

/** Has a closed file claim no place in any log: its content comes from elsewhere. Blocking. */
export function removePosition(file: string): void {
  const db = openUnchecked(file, false)
  try {
    dropPosition(db)
  } finally {
    db.close()
  }
}

/** The paths that a file consists of while it is in use. */
export function listFilePaths(file: string): string[] {
  return [file, getLogPath(file), `${file}-shm`]
}
