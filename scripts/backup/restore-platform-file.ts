/** Restores the platform file of a backup, and checks that it lists exactly the accounts of the backup. */
import { migratePlatformFile } from '../../storage/sqlite/copies.js'
import { PlatformInspection } from '../../storage/inspection/platform-inspection.js'
import type { Layout } from '../../storage/files/layout.js'
import { findPlatformFileProblems } from '../../storage/validation/foreign-file.js'
import { BackupError } from './backup-error.js'
import { restoreFile } from './restore-account-files.js'
import type { Manifest } from './manifest.js'
import type { Vault } from './vault.js'

/**
 * Restores the file below `target`, and migrates it. Throws {@link BackupError} if it is damaged, or if its
 * accounts differ from those of the manifest.
 */
export async function restorePlatformFile(
  vault: Vault,
  target: Layout,
  { platform, users }: Manifest
): Promise<void> {
  await restoreFile(vault, platform, target, target.platformFile)
  const [problem] = findPlatformFileProblems(target)
  if (problem !== undefined) throw new BackupError(`The platform database of the backup ${problem}`)
  migratePlatformFile(target)
  const ids = new Map(users.map(({ id, username }) => [username, id]))
  const inspection = new PlatformInspection(target)
  try {
    for (const { id, relocatedTo, state, username } of inspection.accounts()) {
      const name = JSON.stringify(username.slice(0, 100))
      if (state !== 'active' || ids.get(username) !== id)
        throw new BackupError(
          `The platform database of the backup contains an account ${name} that is not listed in the backup`
        )
      if (relocatedTo !== null && !isWebUrl(relocatedTo))
        throw new BackupError(`In the platform database of the backup, ${name} has moved to an invalid URL`)
      ids.delete(username)
    }
  } finally {
    inspection.close()
  }
  const [missing] = ids.keys()
  if (missing !== undefined)
    throw new BackupError(`${missing} is missing from the platform database of the backup`)
}

function isWebUrl(url: string): boolean {
  return URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol)
}
