/** Restores one account among others, whether or not a service owns the data directory. */
import { rmSync } from 'node:fs'
import type { Settings } from '../../core/settings/settings.js'
import type { Layout } from '../../storage/files/layout.js'
import { eitherWay } from '../terminal/operator.js'
import { accountIn, bringIn, replace } from '../maintenance/place-account.js'
import { BackupError } from './backup-error.js'
import { setAside, type RestoreOptions } from './restore-backup.js'
import type { Vault } from './vault.js'

/** Answers whether the account took the place of what was there, and when the backup was made (seconds). */
export async function restoreAccount(
  vault: Vault,
  settings: Settings,
  layout: Layout,
  username: string,
  options: RestoreOptions
): Promise<{ done: 'added' | 'replaced'; made: number }> {
  const { account, layout: side, made } = await setAside(vault, layout, username, options)
  try {
    const present = accountIn(layout, username)
    if (!present) {
      await bringIn(layout, side, account)
      return { done: 'added', made }
    }
    if (present.id !== account.id)
      throw new BackupError(`Another account has the name ${username} by now: delete it, or move it, first`)
    await eitherWay(
      settings,
      () => replace(layout, side, account),
      async service => {
        // While it is marked as moved the service has nothing of it open.
        const url = settings.publicUrl || 'http://localhost/'
        await service.call('system.relocateUser', { username, url })
        try {
          await replace(layout, side, account)
        } finally {
          if (present.relocatedTo === null) await service.call('system.bringBackUser', { username })
          else await service.call('system.relocateUser', { username, url: present.relocatedTo })
        }
      }
    )
    return { done: 'replaced', made }
  } finally {
    rmSync(side.root, { recursive: true, force: true })
  }
}
