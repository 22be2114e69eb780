/** Restores one account into a data directory that holds other accounts, whether or not a service is running. */
import type { Settings } from '../../core/settings/settings.js'
import type { Layout } from '../../storage/files/layout.js'
import { runDirectlyOrRemotely } from '../terminal/operator.js'
import { findAccount, addAccount, replaceAccount } from '../maintenance/place-account.js'
import { BackupError } from './backup-error.js'
import { restoreTemporarily, type RestoreResult, type RestoreOptions } from './restore-backup.js'
import type { Vault } from './vault.js'

/**
 * Restores an account. Returns whether it was added or replaced an existing one, and when the backup was made
 * (seconds). A running service does not serve the account meanwhile. Throws {@link BackupError} if the backup
 * lacks the account or is damaged, or if another account has the name; nothing has changed then.
 */
export async function restoreAccount(
  vault: Vault,
  settings: Settings,
  layout: Layout,
  username: string,
  options: RestoreOptions
): Promise<RestoreResult> {
  return await restoreTemporarily(vault, layout, username, options, async (side, account) => {
    const present = findAccount(layout, username)
    if (!present) {
      await addAccount(layout, side, account)
      return 'added'
    }
    if (present.id !== account.id)
      throw new BackupError(`An account named ${username} already exists. Delete or move it first`)
    await runDirectlyOrRemotely(
      settings,
      () => replaceAccount(layout, side, account),
      async service => {
        // While the account is marked as moved, the service does not open its files.
        const url = settings.publicUrl || 'http://localhost/'
        await service.call('system.relocateUser', { username, url })
        try {
          await replaceAccount(layout, side, account)
        } finally {
          if (present.relocatedTo === null) await service.call('system.bringBackUser', { username })
          else await service.call('system.relocateUser', { username, url: present.relocatedTo })
        }
      }
    )
    return 'replaced'
  })
}
