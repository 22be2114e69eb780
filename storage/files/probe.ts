/** Tests whether files can be written in the data directory, and moved within it. */
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Layout } from './layout.js'

/** Whether a file can be written and removed again. */
export async function canWrite({ probeFile }: Layout): Promise<boolean> {
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
 * systems: uploads and deletions would fail. Throws what the operating system does if nothing can be written.
 */
export function foldersApart({ draftsDirectory, leavingDirectory, root, usersDirectory }: Layout): string[] {
  const name = `.probe-${process.pid}`
  const isApart = (folder: string): boolean => {
    try {
      // Tried, as two mounts of one disk look alike.
      writeFileSync(join(root, name), '')
      renameSync(join(root, name), join(folder, name))
      return false
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
      return true
    } finally {
      for (const place of [root, folder]) rmSync(join(place, name), { force: true })
    }
  }
  return [usersDirectory, draftsDirectory, leavingDirectory].filter(
    folder => existsSync(folder) && isApart(folder)
  )
}
