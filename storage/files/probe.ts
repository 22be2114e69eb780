/** Tests whether files can be written in the data directory, and moved within it. */
import { existsSync, renameSync, statSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DiskReserve } from './disk-reserve.js'
import type { Layout } from './layout.js'

/** The name of a file that there never is. */
const absentName = '.absent'

/** Whether a file can be written and removed again, and writes are accepted. */
export async function canWrite(layout: Layout): Promise<boolean> {
  if (new DiskReserve(layout).isReleased) return false
  const { probeFile } = layout
  try {
    await writeFile(probeFile, 'coffer\n')
    // `force`, because another thread may have just removed it: several may probe at once.
    await rm(probeFile, { force: true })
    return true
  } catch {
    // On a full disk the file may have been created without its bytes.
    await rm(probeFile, { force: true }).catch(() => undefined)
    return false
  }
}

/**
 * The folders of a data directory that files cannot be moved into, because they are mounted there, or links to other file
 * systems: uploads and deletions would fail. Nothing is written: whatever a crash left there would be taken for an account.
 */
export function findSeparateMounts({
  draftsDirectory,
  leavingDirectory,
  root,
  usersDirectory
}: Layout): string[] {
  const { dev } = statSync(root)
  return [usersDirectory, draftsDirectory, leavingDirectory].filter(
    folder => existsSync(folder) && (statSync(folder).dev !== dev || isSeparateMount(root, folder))
  )
}

/** Whether two folders are of different mounts, even if of one disk. Linux says so before it looks for the file. */
function isSeparateMount(root: string, folder: string): boolean {
  try {
    renameSync(join(root, absentName), join(folder, absentName))
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EXDEV'
  }
}
