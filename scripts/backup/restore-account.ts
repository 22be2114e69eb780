/** Restores one account among others, whether or not a service owns the data directory. */
import { rmSync } from 'node:fs'
import type { Settings } from '../../core/settings.js'
import type { Layout } from '../../storage/layout.js'
import { eitherWay } from '../operator.js'
import { accountIn, bringIn, replace } from '../place-account.js'
import { setAside } from './restore-backup.js'
import { BackupError, type Vault } from './vault.js'

/** Answers whether the account took the place of what was there. */
export async function restoreAccount(
  vault: Vault,
  settings: Settings,
  layout: Layout,
  username: string
): Promise<'added' | 'replaced'> {
  const { account, layout: side } = await setAside(vault, layout, username)
  try {
    const present = accountIn(layout, username)
    if (!present) {
      await bringIn(layout, side, account)
      return 'added'
    }
    if (present.id !== account.id)
      throw new BackupError(`Another account has the name ${username} by now: delete it, or move it, first.`)
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
    return 'replaced'
  } finally {
    rmSync(side.root, { recursive: true, force: true })
  }
}
