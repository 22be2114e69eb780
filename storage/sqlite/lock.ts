/** The lock by which one process owns a data directory. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolderNow, assertFileOrAbsent } from '../files/durable.js'
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
 * Locks a data directory, creating it if needed. Returns the function that releases the lock. The operating
 * system holds the lock, so it ends with the process: there are no stale locks to remove by hand. Throws
 * {@link DirectoryLocked}. Throws `UnexpectedPath` if the lock file is a link.
 */
export function lockDirectory(lockFile: string): () => void {
  makeFolderNow(dirname(lockFile))
  for (const kind of ['', '-journal', '-wal', '-shm']) assertFileOrAbsent(lockFile + kind)
  // A second file, for the message only: closing a descriptor of the locked file would drop the lock (POSIX).
  const ownerFile = `${lockFile}.pid`
  const release = openLock(lockFile)
  if (!release) throw new DirectoryLocked(dirname(lockFile), readOwner(ownerFile))
  // The file is removed first, because the path may be a link to another file.
  rmSync(ownerFile, { force: true })
  writeFileSync(ownerFile, `${process.pid}\n`, { flag: 'wx', mode: 0o600 })
  return () => {
    rmSync(ownerFile, { force: true })
    release()
  }
}

function readOwner(file: string): string {
  try {
    return `pid ${readFileSync(file, 'utf8').trim()}`
  } catch {
    return ''
  }
}
