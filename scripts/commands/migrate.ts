/**
 * `coffer migrate`: migrates all files to the current schema. Without this command, the service migrates each file when
 * it is first used.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Settings } from '../../core/settings/settings.js'
import { migratePlatformFile, schemaVersions } from '../../storage/sqlite/copies.js'
import { migrateUserFile } from '../../storage/user/adoption.js'
import { lockDirectory } from '../../storage/sqlite/lock.js'
import { PlatformInspection } from '../../storage/inspection/platform-inspection.js'
import type { Layout } from '../../storage/files/layout.js'
import { BackupError } from '../backup/backup-error.js'
import { makeBackup } from '../backup/make-backup.js'
import { assertOutsideDataDirectory, withDefaultSecret } from '../backup/default-place.js'
import { openPlace } from '../backup/open-place.js'
import { openFolderSource } from '../backup/sources/folder-source.js'
import { Vault } from '../backup/vault.js'
import {
  getErrorMessage,
  isUpToDate,
  findPending,
  type PendingMigrations
} from '../maintenance/pending-migrations.js'
import { formatCount, formatProblem } from '../terminal/output.js'
import { loadExistingDirectory } from '../terminal/directory.js'
import { splitArguments, UsageError } from '../terminal/operands.js'
import { readSecret, type SecretOptions } from '../terminal/passphrase.js'
import { withProgressBar, type Progress } from '../terminal/progress.js'

export interface MigrateOptions extends SecretOptions {
  readonly look?: true
  /** Place of a backup before the migration. */
  readonly backup?: string
  readonly withoutBackup?: true
  readonly json?: true
}

interface MigrateReport {
  /** Schema version of the platform file before the migration. */
  readonly platform: number
  accounts: number
  /** Number of accounts whose files were migrated. */
  migrated: number
  /** Place of the backup that was made before the migration; absent if no backup was made. */
  backup?: string
  readonly problems: { readonly user: string; readonly detail: string }[]
}

/**
 * Migrates all files, or with `look` shows what would be migrated. Makes a backup before any change, unless
 * it is declined. Throws `DirectoryLocked` if a service is running, and as {@link makeBackupBefore} does. The exit
 * code is 1 if a file could not be migrated.
 */
export async function migrate(args: readonly string[], options: MigrateOptions): Promise<void> {
  const { json, look } = options
  const { layout, settings } = loadExistingDirectory(splitArguments(args).flags)
  if (look) return printPending(await withProgressBar(json, progress => findPending(layout, progress)), json)
  assertOneBackupChoice(options)
  const release = lockDirectory(layout.lockFile)
  try {
    const pending = await withProgressBar(json, progress => findPending(layout, progress))
    const backup = isUpToDate(pending)
      ? undefined
      : await makeBackupBefore(layout, settings, pending, options)
    const report = await withProgressBar(json, progress => migrateAll(layout, progress))
    if (backup !== undefined) report.backup = backup
    if (report.problems.length > 0) process.exitCode = 1
    if (json) return console.log(JSON.stringify(report, null, 2))
    for (const problem of report.problems) console.error(formatProblem(problem))
    console.log(
      `${formatCount(report.accounts, 'account')} (migrated to version ${schemaVersions.user}: ${report.migrated}); ` +
        `the platform database had version ${report.platform} and now has version ${schemaVersions.platform}` +
        (backup === undefined ? '' : `; backup made before the migration: ${backup}`)
    )
  } finally {
    release()
  }
}

function assertOneBackupChoice({ backup, withoutBackup }: MigrateOptions): void {
  if (backup !== undefined && withoutBackup)
    throw new UsageError("--backup and --without-backup can't be combined")
}

/**
 * Makes a backup before the migration: earlier versions of the software cannot use migrated files. Returns its place;
 * `undefined` if it is declined. Throws {@link UsageError} if no place for backups is known, {@link BackupError} if an
 * account could not be copied.
 */
async function makeBackupBefore(
  layout: Layout,
  settings: Settings,
  { accounts, outdated }: PendingMigrations,
  options: MigrateOptions
): Promise<string | undefined> {
  if (options.withoutBackup) return undefined
  const to = options.backup ?? settings.backup.to
  if (to === '')
    throw new UsageError(
      `${formatCount(outdated, 'database')} of ${formatCount(accounts, 'account')} would be migrated, and earlier versions can't use them afterwards. Choose a destination for a backup (--backup, or the setting backup.to), or pass --without-backup. Use --look to see what would be migrated`
    )
  assertOutsideDataDirectory(to, layout)
  const secret = readSecret(
    options.backup === undefined ? withDefaultSecret(options, settings) : options,
    layout
  )
  const vault = await Vault.openForWriting(await openPlace(to, settings.backup.s3, true), false, secret)
  try {
    const keep = options.backup === undefined ? settings.backup.keep : undefined
    const source = await openFolderSource(layout, settings)
    const { problems } = await withProgressBar(options.json, progress =>
      makeBackup(layout, vault, { progress, keep, source })
    )
    if (problems.length === 0) return vault.place.name
    throw new BackupError(
      `Nothing was migrated, because the backup is incomplete. Use --without-backup to migrate without one.\n${problems.map(formatProblem).join('\n')}`
    )
  } finally {
    await vault.close()
  }
}

/** Migrates the platform file and the files of active accounts. Files that cannot be migrated are reported. */
async function migrateAll(layout: Layout, progress: Progress | undefined): Promise<MigrateReport> {
  const report: MigrateReport = {
    platform: migratePlatformFile(layout),
    accounts: 0,
    migrated: 0,
    problems: []
  }
  const inspection = new PlatformInspection(layout)
  try {
    progress?.begin(inspection.countAccounts())
    for (const { id, state, username } of inspection.accounts()) {
      report.accounts++
      progress?.step(report.accounts)
      if (state !== 'active') continue
      try {
        if (migrateUserFile(layout, id) < schemaVersions.user) report.migrated++
      } catch (error) {
        report.problems.push({ user: username, detail: getErrorMessage(error) })
      }
      await nextTurn()
    }
    return report
  } finally {
    inspection.close()
  }
}

/** Prints what would be migrated. The exit code is 1 if a file cannot be migrated. */
function printPending(pending: PendingMigrations, json: true | undefined): void {
  const { accounts, outdated, platform, problems, room, users } = pending
  if (problems.length > 0) process.exitCode = 1
  if (json) return console.log(JSON.stringify(pending, null, 2))
  for (const problem of problems) console.error(formatProblem(problem))
  if (isUpToDate(pending)) return console.log(`${formatCount(accounts, 'account')}: nothing to migrate`)
  const lines = [
    `${formatCount(accounts, 'account')} (to migrate to version ${schemaVersions.user}: ${outdated})` +
      (outdated > 0 ? `, from version ${users.version} or later: ${formatSteps(users.steps)}` : ''),
    platform.steps.length === 0
      ? `the platform database has version ${platform.version} and needs no migration`
      : `the platform database would be migrated from version ${platform.version} to ${schemaVersions.platform}: ${formatSteps(platform.steps)}`,
    `disk space: ${formatMegabytes(room.files)} to migrate, up to ${formatMegabytes(room.needed)} needed, ${formatMegabytes(room.free)} free`,
    'nothing was changed'
  ]
  console.log(lines.join('\n'))
}

/** Formats names of steps as words: `textSearch` becomes `text search`. */
function formatSteps(steps: readonly string[]): string {
  return steps.map(name => name.replaceAll(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)).join(', ')
}

function formatMegabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}
