/** `coffer backup`: updates a backup of one machine or of a cluster, whether or not a service is running. */
import type { Settings } from '../../core/settings/settings.js'
import { makeBackup, type BackupReport } from '../backup/make-backup.js'
import { assertOutsideDataDirectory, getPlace, withDefaultSecret } from '../backup/default-place.js'
import { openPlace } from '../backup/open-place.js'
import { Vault } from '../backup/vault.js'
import type { BackupSource } from '../backup/sources/source.js'
import { openFolderSource } from '../backup/sources/folder-source.js'
import type { Layout } from '../../storage/files/layout.js'
import { makeVerifiedBackup, type VerifiedOptions } from '../backup/verified-backup.js'
import { formatCount, formatProblem } from '../terminal/output.js'
import { loadExistingDirectory } from '../terminal/directory.js'
import { splitOptionalArgument } from '../terminal/operands.js'
import { readSecret, type SecretOptions } from '../terminal/passphrase.js'
import { withProgressBar } from '../terminal/progress.js'
import { createVettingOptions } from '../vetting/examiner.js'

export interface BackupOptions extends SecretOptions {
  readonly encrypt?: true
  readonly verify?: true
  readonly json?: true
}

/** The result of the command. */
interface Outcome extends BackupReport {
  readonly isEncrypted: boolean
  /** Fingerprint of the key of a backup to recipients. */
  readonly fingerprint?: string
  /** Number of accounts that were then verified by restoring them; absent without verification. */
  readonly verified?: number
}

/**
 * Updates a backup and prints what was added. Without a place, the automatic backup is updated with its own retention and
 * verification settings. The exit code is 1 if an account could not be copied or restored.
 */
export async function backup(args: readonly string[], options: BackupOptions): Promise<void> {
  const { encrypt, json } = options
  const { flags, operands } = splitOptionalArgument(args, 'place')
  const { layout, settings } = loadExistingDirectory(flags)
  const own = operands.length === 0 ? settings.backup : undefined
  const secret = readSecret(own ? withDefaultSecret(options, settings) : options, layout)
  const to = getPlace(operands, settings)
  assertOutsideDataDirectory(to, layout)
  const place = await openPlace(to, settings.backup.s3, true)
  const vault = await Vault.openForWriting(place, encrypt === true, secret)
  // Release the lock when the process is stopped.
  const stop = (): void => void vault.close().finally(() => process.exit(143))
  process.once('SIGTERM', stop)
  try {
    const isVerified = options.verify ?? own?.verify ?? false
    const [keep, vetting] = [own?.keep, createVettingOptions(settings)]
    const withProgress: VerifiedOptions['withProgress'] = work => withProgressBar(json, work)
    const report = await withSource(layout, settings, async source => {
      const made: Omit<Outcome, 'fingerprint' | 'isEncrypted'> = isVerified
        ? await makeVerifiedBackup(layout, vault, { keep, source, vetting, withProgress })
        : await withProgress(progress => makeBackup(layout, vault, { progress, keep, source }))
      return made
    })
    const { fingerprint, isEncrypted } = vault
    printReport({ ...report, isEncrypted, ...(fingerprint !== undefined && { fingerprint }) }, json)
  } finally {
    process.off('SIGTERM', stop)
    await vault.close()
  }
}

/** Runs `work` with the cluster as the source if the settings name a node: its folder contains only some accounts, and old copies. */
async function withSource<T>(
  layout: Layout,
  settings: Settings,
  work: (source?: BackupSource) => Promise<T>
): Promise<T> {
  if (settings.cluster.node === '') return await work(await openFolderSource(layout, settings))
  const { withClusterSource } = await import('../backup/sources/cluster-source.js')
  return await withClusterSource(settings, work)
}

function printReport(outcome: Outcome, json: true | undefined): void {
  const { accounts, attachments, bytes, copied, fingerprint, isEncrypted, problems, verified } = outcome
  if (problems.length > 0) process.exitCode = 1
  if (json) return console.log(JSON.stringify(outcome, null, 2))
  for (const problem of problems) console.error(formatProblem(problem))
  const restored = verified === undefined ? '' : `; ${formatCount(verified, 'account')} verified by restoring`
  console.log(
    `${formatCount(accounts, 'account')} (changed: ${copied}); ${formatCount(attachments, 'attachment')} and ${(bytes / 1024 / 1024).toFixed(1)} MiB added${restored}; ${isEncrypted ? 'encrypted' : 'not encrypted'}${fingerprint === undefined ? '' : ` to recipients, with the key ${fingerprint}`}`
  )
}
