/**
 * Replaces the folder of an account. The previous folder is set aside until the replacement is complete, and restored
 * after an error or a crash.
 */
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolderNow, syncPathNow } from './durable.js'
import { isAccountId, type Layout } from './layout.js'

/**
 * Replaces a folder by `newFolder`. The account must not be open. `complete` runs with the new folder in place and may
 * throw to undo the replacement; on success the previous folder is moved to `formerTarget`.
 */
export function replaceFolder(
  layout: Layout,
  id: string,
  { newFolder, formerTarget, complete }: { newFolder: string; formerTarget: string; complete: () => void }
): void {
  restoreReplaced(layout, id)
  const [current, former] = getPaths(layout, id)
  makeFolderNow(dirname(former))
  makeFolderNow(dirname(current))
  try {
    if (existsSync(current)) moveDurably(current, former)
    moveDurably(newFolder, current)
    complete()
    // This rename is the commit.
    if (existsSync(former)) moveDurably(former, formerTarget)
  } catch (error) {
    restoreReplaced(layout, id)
    throw error
  }
}

/** Restores the folders that a crash left set aside. Returns the ids of their accounts. */
export function restoreReplacedFolders(layout: Layout): string[] {
  if (!existsSync(layout.replacedDirectory)) return []
  const ids = readdirSync(layout.replacedDirectory).filter(isAccountId)
  for (const id of ids) restoreReplaced(layout, id)
  return ids
}

function restoreReplaced(layout: Layout, id: string): void {
  const [current, former] = getPaths(layout, id)
  if (!existsSync(former)) return
  rmSync(current, { recursive: true, force: true })
  moveDurably(former, current)
}

function getPaths(layout: Layout, id: string): [place: string, former: string] {
  return [layout.userDirectory(id), join(layout.replacedDirectory, id)]
}

function moveDurably(from: string, to: string): void {
  renameSync(from, to)
  syncPathNow(dirname(to))
  syncPathNow(dirname(from))
}
