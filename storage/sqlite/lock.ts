/** One process owns a data directory: the lock that makes sure of it. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolderNow, mustBeFileOrNothing } from '../files/durable.js'
import { openLock } from './open.js'

/** The data directory belongs to another process. */
export class DirectoryLocked extends Error {
  constructor(directory: string, owner: string) {
    super(
      `${directory} is in use by another process${owner === '' ? '' : ` (${owner})`}: a data directory has one owner at a time.`
    )
    this.name = 'DirectoryLocked'
  }
}

/**
 * Takes the lock file, and its directory if need be; answers the function that gives it back. The lock is the operating
 * system's, so it ends with the process however that ends: there is no stale lock to be removed by hand. Throws
 * {@link DirectoryLocked}.
 */
export function lockDirectory(lockFile: string): () => void {
  makeFolderNow(dirname(lockFile))
  for (const kind of ['', '-journal', '-wal', '-shm']) mustBeFileOrNothing(lockFile + kind)
  // Beside the lock, for the message only: reading the locked file itself could drop the lock (POSIX).
  const ownerFile = `${lockFile}.pid`
  const release = openLock(lockFile)
  if (!release) throw new DirectoryLocked(dirname(lockFile), ownerOf(ownerFile))
  // A new file each time: what is there may be a link to a file of somebody's.
  rmSync(ownerFile, { force: true })
  writeFileSync(ownerFile, `${process.pid}\n`, { flag: 'wx', mode: 0o600 })
  return () => {
    rmSync(ownerFile, { force: true })
    release()
  }
}

function ownerOf(file: string): string {
  try {
    return `pid ${readFileSync(file, 'utf8').trim()}`
  } catch {
    return ''
  }
}
