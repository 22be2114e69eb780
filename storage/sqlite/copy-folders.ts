/** Folders in a data directory where commands put copies of accounts together, and what becomes of those that were killed. */
import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openLock } from './open.js'
import { Layout } from '../files/layout.js'

/** Locked while a command uses the folder. A folder without this file is not ours, whatever its name. */
const lockName = 'copies.lock'

/** The locks that are held, by folder. */
const locks = new Map<string, () => void>()

/** Makes a folder for copies, on the same device as all else; it is kept until {@link removeCopyFolder}, or the process ends. */
export function createCopyFolder(layout: Layout): Layout {
  const root = mkdtempSync(join(layout.root, `copies-${process.pid}-`))
  const unlock = openLock(join(root, lockName))
  // Another process took it for a left-over just before it was locked.
  if (!unlock) return createCopyFolder(layout)
  locks.set(root, unlock)
  return new Layout(root)
}

/** Removes a folder for copies with all that is in it. */
export function removeCopyFolder({ root }: Layout): void {
  locks.get(root)?.()
  locks.delete(root)
  rmSync(root, { recursive: true, force: true })
}

/**
 * Removes the copies of processes that are gone. The system frees their locks, while numbers of processes say little: in
 * another container they are others.
 */
export function removeStaleCopies({ root }: Layout): void {
  for (const name of readdirSync(root)) if (name.startsWith('copies-')) removeStaleFolder(join(root, name))
}

function removeStaleFolder(folder: string): void {
  const lock = join(folder, lockName)
  const found = lstatSync(lock, { throwIfNoEntry: false })
  // A lock file is empty: anything else is not ours.
  if (!found?.isFile() || found.size > 0) return
  const unlock = openLock(lock)
  if (!unlock) return
  rmSync(folder, { recursive: true, force: true })
  unlock()
}
