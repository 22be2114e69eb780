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
      bringIn(layout, side, account)
      return 'added'
    }
    if (present.id !== account.id)
      throw new BackupError(`Another account has the name ${username} by now: delete it, or move it, first.`)
    await eitherWay(
      settings,
      () => replace(layout, side, account),
      async service => {
        // While it is marked as moved the service has nothing of it open.
        const path = `/system/users/${username}/relocation`
        await service.call('POST', path, { url: settings.publicUrl || 'http://localhost/' })
        try {
          replace(layout, side, account)
        } finally {
          if (present.relocatedTo === null) await service.call('DELETE', path)
          else await service.call('POST', path, { url: present.relocatedTo })
        }
      }
    )
    return 'replaced'
  } finally {
    rmSync(side.root, { recursive: true, force: true })
  }
}
