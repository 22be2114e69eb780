/** Recovers what an earlier run on the same folder left unfinished. */
import { existsSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncPathNow } from '../files/durable.js'
import type { Layout } from '../files/layout.js'
import { restoreReplacedFolders } from '../files/replace-folder.js'
import type { PlatformStore } from '../platform/platform-store.js'
import { removeStaleCopies } from '../sqlite/copy-folders.js'
import type { UserFiles } from './user-files.js'
import type { UserStore } from './user-store.js'

interface RecoveryOptions {
  readonly layout: Layout
  readonly platform: PlatformStore
  readonly files: UserFiles
  /** True if accounts have files elsewhere, too: then deletions are completed later, by the jobs of the service. */
  readonly hasSharedFiles: boolean
  readonly onError: (account: string, error: unknown) => void
}

/**
 * Reverts claims that were not acknowledged, completes deletions, and settles unique values in doubt. If the
 * platform file follows a log, only the folder is cleaned up: the rest is the task of the node that serves
 * the account, once it has caught up. Also removes the copies of killed commands, and restores folders whose
 * replacement was interrupted.
 */
export function recoverUnfinished(options: RecoveryOptions): void {
  const { layout, platform } = options
  removeStaleCopies(layout)
  const isAlone = platform.position() === undefined
  for (const id of restoreReplacedFolders(layout))
    if (isAlone)
      withStore(options, id, store => platform.changeNow('replaceUnique', id, store.fields.listUnique()))
  rmSync(layout.leavingDirectory, { recursive: true, force: true })
  syncPathNow(layout.root)
  if (!isAlone) return
  for (const { id } of platform.listUnfinished()) {
    // A command that is importing it will fail.
    platform.changeNow('giveUp', id)
    if (options.hasSharedFiles) continue
    const directory = layout.userDirectory(id)
    rmSync(directory, { recursive: true, force: true })
    if (existsSync(dirname(directory))) syncPathNow(dirname(directory))
    platform.changeNow('remove', id)
  }
  // After a crash just before the checkpoint, the write-ahead log still holds the pages of removed rows.
  platform.truncateLog()
  // Opening the account's own file, which is authoritative, settles them.
  for (const { id } of platform.listInDoubt()) withStore(options, id, () => {})
}

function withStore({ files, onError }: RecoveryOptions, id: string, work: (store: UserStore) => void): void {
  try {
    // The file is closed at once: another thread may serve the account.
    const store = files.open(id)
    work(store)
    store.close()
  } catch (error) {
    onError(id, error)
  }
}
