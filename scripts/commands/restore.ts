/** `coffer restore`: restores all accounts of a backup, or a single account. */
import type { Settings } from '../../core/settings/settings.js'
import type { Layout } from '../../storage/files/layout.js'
import { getPlace, withDefaultSecret } from '../backup/default-place.js'
import { openPlace } from '../backup/open-place.js'
import { restoreAccount } from '../backup/restore-account.js'
import { formatTime, listStates } from '../backup/manifest.js'
import {
  restoreAll,
  verifyBackup,
  type RestoreOptions as AccountOptions,
  type RestoreReport
} from '../backup/restore-backup.js'
import { Vault } from '../backup/vault.js'
import { escapeControls, formatCount, formatProblem } from '../terminal/output.js'
import { loadDirectory, loadExistingDirectory } from '../terminal/directory.js'
import { splitOptionalArgument, UsageError } from '../terminal/operands.js'
import { readSecret, type SecretOptions } from '../terminal/passphrase.js'
import { withProgressBar } from '../terminal/progress.js'
import { createVettingOptions } from '../vetting/examiner.js'

export interface RestoreOptions extends SecretOptions {
  readonly user?: string
  readonly at?: string
  readonly list?: true
  readonly verify?: true
  readonly skipDamaged?: true
  readonly json?: true
}

/**
 * Restores or verifies a backup, by default from the place of automatic backups, and prints a report. The
 * exit code is 1 if there are problems. With `list`, only prints the available states; with `user`, restores
 * one account and keeps the others. Warns if the origin of the backup cannot be verified.
 */
export async function restore(args: readonly string[], options: RestoreOptions): Promise<void> {
  const { json, skipDamaged = false, user, verify } = options
  const { flags, operands } = splitOptionalArgument(args, 'place')
  const at = options.at === undefined ? undefined : parseEnd(options.at)
  const { layout, settings } = (user === undefined ? loadDirectory : loadExistingDirectory)(flags)
  const vetting = createVettingOptions(settings)
  const secret = readSecret(operands.length === 0 ? withDefaultSecret(options, settings) : options)
  const place = await openPlace(getPlace(operands, settings), settings.backup.s3, false)
  const vault = await Vault.open(place, secret)
  try {
    if (!vault.isEncrypted) console.error("The backup is not encrypted, so its origin can't be verified")
    if (vault.fingerprint !== undefined)
      console.error(
        `The backup was encrypted to recipients, so its origin can't be verified. Compare the fingerprint of its key with that of your service: ${vault.fingerprint}`
      )
    if (options.list) return printStates(await listStates(vault), json)
    if (user !== undefined) return await restoreOne(vault, settings, layout, user, { at, json, vetting })
    const report = await withProgressBar(json, progress =>
      verify
        ? verifyBackup(vault, { at, progress, vetting })
        : restoreAll(vault, layout, { at, progress, vetting, skipsDamaged: skipDamaged })
    )
    printReport(report, json, verify ? 'verified' : `restored into ${layout.root}`)
  } finally {
    await vault.close()
  }
}

/** Restores one account, into the cluster if the settings name a node, and prints the result. */
async function restoreOne(
  vault: Vault,
  settings: Settings,
  layout: Layout,
  user: string,
  { json, ...options }: AccountOptions & { readonly json: true | undefined }
): Promise<void> {
  const { done, made } = await (
    settings.cluster.node === ''
      ? restoreAccount
      : (await import('../backup/cluster/restore-into-cluster.js')).restoreIntoCluster
  )(vault, settings, layout, user, options)
  console.log(json ? JSON.stringify({ user, done, made }) : `${user}: ${done}, as of ${formatTime(made)}`)
}

function printReport(report: RestoreReport, json: true | undefined, done: string): void {
  if (report.problems.length > 0) process.exitCode = 1
  if (json) return console.log(JSON.stringify(report, null, 2))
  for (const problem of report.problems) console.error(escapeControls(formatProblem(problem)))
  const { accounts, made, notes, problems } = report
  for (const note of notes) console.error(escapeControls(note))
  console.log(
    problems.length === 0
      ? `${formatCount(accounts, 'account')} ${done}, from a backup of ${formatTime(made)}`
      : `${formatCount(accounts, 'account')}, ${formatCount(problems.length, 'problem')}, in a backup of ${formatTime(made)}`
  )
}

function printStates(states: readonly number[], json: true | undefined): void {
  const times = states.map(formatTime)
  console.log(json ? JSON.stringify(times, null, 2) : times.join('\n'))
}

/** Parses a time, or a date (UTC), of which the last moment is returned, in seconds. Throws {@link UsageError}. */
function parseEnd(text: string): number {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text)
  const time = Date.parse(isDay ? `${text}T23:59:59Z` : text) / 1000
  if (Number.isFinite(time)) return time + (isDay ? 0.999 : 0)
  throw new UsageError(`--at must be a date such as 2026-03-31, or a time such as 2026-03-31T18:00:00Z`)
}
