/** The destination and the passphrase file of automatic backups. */
import { existsSync, realpathSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import type { Settings } from '../../core/settings/settings.js'
import { UsageError } from '../terminal/operands.js'
import type { SecretOptions } from '../terminal/passphrase.js'
import { Layout } from '../../storage/files/layout.js'
import { BackupError } from './backup-error.js'
import type { Place } from './place.js'

/**
 * Returns the destination given as an argument, or by default the destination of automatic backups. Throws
 * {@link UsageError} if neither is set.
 */
export function getPlace([place]: readonly string[], { backup }: Settings): string {
  const to = place ?? backup.to
  if (to !== '') return to
  throw new UsageError(
    'Missing destination. Pass a folder or s3://bucket/prefix, or set backup.to (see --help)'
  )
}

/**
 * Returns the options, with the recipients or else the passphrase file of automatic backups if neither a
 * passphrase file, recipients nor `plain` are given. An identity alone prevents the passphrase file only.
 */
export function withDefaultSecret(options: SecretOptions, { backup }: Settings): SecretOptions {
  const { identity, passphraseFile, plain, recipient } = options
  if (passphraseFile !== undefined || plain === true || recipient !== undefined) return options
  // An identity opens a backup to recipients that the settings name.
  if (backup.recipients.length > 0) return { ...options, recipient: backup.recipients.join(',') }
  return identity !== undefined || backup.passphraseFile === ''
    ? options
    : { passphraseFile: backup.passphraseFile }
}

/** Throws {@link BackupError} if a folder is inside a data directory: the backup would be lost with it. */
export function assertOutsideDataDirectory(to: string, { root }: Layout): void {
  const own = realpathSync(root)
  let at = resolve(to)
  while (!to.startsWith('s3:') && !existsSync(at)) at = dirname(at)
  if (!to.startsWith('s3:') && `${realpathSync(at)}${sep}`.startsWith(`${own}${sep}`))
    throw new BackupError(`${resolve(to)} is inside the data directory. Choose a folder outside it`)
}

/**
 * Returns the problems of the place in `backup.to` that can be found without opening it. Returns none if no
 * place is set.
 */
export function findPlaceProblems({
  backup,
  dataDir
}: Pick<Settings, 'backup' | 'dataDir'>): readonly string[] {
  try {
    if (backup.to !== '') assertOutsideDataDirectory(backup.to, new Layout(dataDir))
    return []
  } catch (error) {
    if (error instanceof BackupError) return [`backup.to cannot be used: ${error.message}`]
    throw error
  }
}

/**
 * Throws {@link BackupError} if a backup contains accounts, but none of the given accounts. Then either the backup
 * belongs to another service, whose states would be removed; or the accounts of this service have been lost.
 */
export function assertSameService(
  { name }: Place,
  known: ReadonlyMap<string, unknown>,
  accounts: readonly { readonly id: string }[]
): void {
  if (known.size === 0 || accounts.some(({ id }) => known.has(id))) return
  throw new BackupError(
    `${name} contains backups of another service: none of its accounts (${known.size}) exists here. Restore them, or choose another place`
  )
}
