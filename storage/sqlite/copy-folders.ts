/**
 * Folders in a data directory where commands assemble copies of accounts, and the removal of those that killed commands
 * left.
 */
import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openLock } from './open.js'
import { Layout } from '../files/layout.js'

/** Locked while a command uses the folder. A folder without this file is not touched. */
const lockName = 'copies.lock'

/** The locks held by this process, by folder. */
const locks = new Map<string, () => void>()

/**
 * Creates a folder for copies in the data directory, and thus on the same device. It exists until {@link removeCopyFolder},
 * or the end of the process.
 */
export function createCopyFolder(layout: Layout): Layout {
  const root = mkdtempSync(join(layout.root, `copies-${process.pid}-`))
  try {
    const unlock = openLock(join(root, lockName))
    if (unlock) {
      locks.set(root, unlock)
      return new Layout(root)
    }
  } catch (error) {
    // As on a full disk.
    rmSync(root, { recursive: true, force: true })
    throw error
  }
  // Another process removed it as stale just before it was locked.
  return createCopyFolder(layout)
}

/** Removes a folder for copies and its content. */
export function removeCopyFolder({ root }: Layout): void {
  locks.get(root)?.()
  locks.delete(root)
  rmSync(root, { recursive: true, force: true })
}

/**
 * Removes the folders of processes that have ended. Locks are released by the system, while process ids are not
 * comparable between containers.
 */
export function removeStaleCopies({ root }: Layout): void {
  for (const name of readdirSync(root)) if (name.startsWith('copies-')) removeStaleFolder(join(root, name))
}

function removeStaleFolder(folder: string): void {
  const lock = join(folder, lockName)
  // A lock file is empty: anything else is not ours.
  if (!isEmptyFile(lock)) return
  const unlock = openLock(lock)
  if (!unlock) return
  rmSync(folder, { recursive: true, force: true })
  unlock()
}

/** Returns false also if the file is in the folder of another user, as a command leaves it that root has interrupted. */
function isEmptyFile(file: string): boolean {
  try {
    const found = lstatSync(file)
    return found.isFile() && found.size === 0
  } catch {
    return false
  }
}
