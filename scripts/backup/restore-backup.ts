/**
 * Restores a backup: all accounts into an empty data directory, or one account beside others. Everything is read and checked
 * before anything is replaced.
 */
import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeFolderNow, syncPath } from '../../storage/files/durable.js'
import { Layout } from '../../storage/files/layout.js'
import { createCopyFolder, removeCopyFolder } from '../../storage/sqlite/copy-folders.js'
import { lockDirectory } from '../../storage/sqlite/lock.js'
import { findOwner, writeOwner } from '../../storage/platform/owner.js'
import { PlatformStore } from '../../storage/platform/platform-store.js'
import type { Problem } from '../maintenance/check-account.js'
import { formatProblem } from '../terminal/output.js'
import type { Progress } from '../terminal/progress.js'
import { rebuildUniqueIndex, type Conflict } from '../maintenance/unique-index.js'
import type { VettingOptions } from '../vetting/examiner.js'
import { readWebhookIds } from '../maintenance/webhook-ids.js'
import { BackupError } from './backup-error.js'
import { restoreAccountFiles } from './restore-account-files.js'
import { restorePlatformFile } from './restore-platform-file.js'
import { findManifest, type AccountEntry, type Manifest } from './manifest.js'
import { restorePageSettings } from './page-settings.js'
import type { Vault } from './vault.js'
import type { Account } from '../../storage/platform/account.js'

export interface RestoreReport {
  /** Time of the backup in seconds. It reveals that a backup was replaced by an older one. */
  readonly made: number
  readonly isEncrypted: boolean
  accounts: number
  /** Problems of accounts that could not be restored. */
  readonly problems: Problem[]
  /** Notes about settings from the service's own pages that were not restored unchanged. */
  readonly notes: string[]
}

export interface RestoreOptions {
  /** Restores the latest state up to this time, in seconds; by default the latest state. */
  readonly at?: number | undefined
  readonly vetting: VettingOptions
  /** Usernames of the accounts to verify; by default all. */
  readonly only?: ReadonlySet<string> | undefined
  readonly progress?: Progress | undefined
}

/** The only files in an empty data directory while it is locked. */
const lockNames = new Set(['coffer.lock', 'coffer.lock.pid', 'coffer.lock-journal'])

/**
 * Verifies a backup by restoring each account (or those in `options.only`) into a temporary directory, which is removed. Damage is
 * reported, not thrown. Throws {@link BackupError} if there is no such backup.
 */
export async function verifyBackup(vault: Vault, options: RestoreOptions): Promise<RestoreReport> {
  const manifest = await findManifest(vault, options.at)
  const report = createReport(vault, manifest)
  const temporary = new Layout(mkdtempSync(join(tmpdir(), 'coffer-verify-')))
  const { only } = options
  const users = only ? manifest.users.filter(({ username }) => only.has(username)) : manifest.users
  try {
    await restoreAccounts({
      vault,
      target: temporary,
      users,
      keepsFiles: false,
      options,
      report,
      done: ({ id }) => rmSync(temporary.userDirectory(id), { recursive: true, force: true })
    })
    await restorePlatformFile(vault, temporary, manifest).catch((error: Error) =>
      report.problems.push({ kind: 'platform', detail: error.message })
    )
    await restoreSettings(vault, temporary, manifest, report)
    return report
  } finally {
    rmSync(temporary.root, { recursive: true, force: true })
  }
}

/**
 * Restores all accounts into an empty data directory, and locks it meanwhile. If any account is damaged, nothing is restored and
 * {@link BackupError} is thrown, unless `skipsDamaged`, which skips such accounts and reports them. Also throws if the directory is
 * not empty, or if there is no such backup.
 */
export async function restoreAll(
  vault: Vault,
  target: Layout,
  options: RestoreOptions & { readonly skipsDamaged: boolean }
): Promise<RestoreReport> {
  const manifest = await findManifest(vault, options.at)
  makeFolderNow(target.root)
  const release = lockDirectory(target.lockFile)
  try {
    if (readdirSync(target.root).some(name => !lockNames.has(name)))
      throw new BackupError(
        `${target.root} is not empty. Move it away to restore all accounts, or restore one account with --user`
      )
    return await restoreInto(vault, target, manifest, options)
  } finally {
    release()
  }
}

/** Restores a backup into a directory. On errors, empties the directory, except for its locks, and rejects. */
async function restoreInto(
  vault: Vault,
  target: Layout,
  manifest: Manifest,
  options: RestoreOptions & { readonly skipsDamaged: boolean }
): Promise<RestoreReport> {
  const report = createReport(vault, manifest)
  const { users } = manifest
  try {
    await restoreAccounts({
      vault,
      target,
      users,
      keepsFiles: true,
      options,
      report,
      done({ id }, problems) {
        if (problems.length > 0) rmSync(target.userDirectory(id), { recursive: true, force: true })
      }
    })
    await restoreSettings(vault, target, manifest, report)
    if (report.problems.length > 0 && !options.skipsDamaged)
      throw new BackupError(
        `Nothing was restored, because the backup is damaged. Use --skip-damaged to skip damaged accounts.\n${report.problems.map(formatProblem).join('\n')}`
      )
    // Restores into a temporary directory first, so that the platform file lists only restored accounts when it is moved in place.
    const staging = createCopyFolder(target)
    await restorePlatformFile(vault, staging, manifest)
    const leftOut = new Set(report.problems.flatMap(({ user }) => user ?? []))
    for (const { field, user } of await updatePlatformFile(staging, target, users, leftOut))
      report.problems.push({ kind: 'platform', user, detail: `another account has the same ${field}` })
    report.accounts -= leftOut.size
    await syncPath(staging.platformFile)
    // Last: a folder without the platform file is not treated as a data directory.
    renameSync(staging.platformFile, target.platformFile)
    removeCopyFolder(staging)
    await syncPath(target.root)
    return report
  } catch (error) {
    for (const name of readdirSync(target.root))
      if (!lockNames.has(name)) rmSync(join(target.root, name), { recursive: true, force: true })
    throw error
  }
}

/** Restores the settings made in the service's own pages, and adds notes about them to the report. */
async function restoreSettings(
  vault: Vault,
  target: Layout,
  manifest: Manifest,
  { notes, problems }: RestoreReport
): Promise<void> {
  try {
    notes.push(...(await restorePageSettings(vault, target, manifest)))
  } catch (error) {
    if (!(error instanceof BackupError)) throw error
    problems.push({ kind: 'settings', detail: error.message })
  }
}

interface AccountsOptions {
  readonly vault: Vault
  readonly target: Layout
  readonly users: readonly AccountEntry[]
  readonly keepsFiles: boolean
  readonly options: RestoreOptions
  readonly report: RestoreReport
  readonly done: (user: AccountEntry, problems: readonly Problem[]) => void
}

/** Restores accounts one by one. Calls `done` with the problems of each. */
async function restoreAccounts({
  done,
  keepsFiles,
  options,
  report,
  target,
  users,
  vault
}: AccountsOptions): Promise<void> {
  const { progress, vetting } = options
  const webhooks = new Set<string>()
  progress?.begin(users.length)
  for (const user of users) {
    const problems = await restoreAccountFiles(vault, target, user, { ...vetting, keepsFiles })
    for (const id of problems.length === 0 ? readWebhookIds(target, user.id) : []) {
      if (webhooks.has(id))
        problems.push({
          kind: 'webhook',
          user: user.username,
          id,
          detail: 'has the same ID as a webhook of another account'
        })
      webhooks.add(id)
    }
    report.problems.push(...problems)
    done(user, problems)
    report.accounts++
    progress?.step(report.accounts)
  }
}

function createReport({ isEncrypted }: Vault, { made }: Manifest): RestoreReport {
  return { made, isEncrypted, accounts: 0, problems: [], notes: [] }
}

/** Limits the restored platform file to restored accounts, with their current unique values. Returns the conflicts. */
async function updatePlatformFile(
  side: Layout,
  target: Layout,
  users: readonly AccountEntry[],
  leftOut: ReadonlySet<string>
): Promise<Conflict[]> {
  const store = new PlatformStore(side)
  try {
    // Access requests are obsolete: no app is waiting for a response.
    store.changeNow('removeExpired', Infinity)
    const accounts = users.flatMap(({ username }) => store.find(username) ?? [])
    for (const { id } of accounts.filter(({ username }) => leftOut.has(username)))
      store.changeNow('remove', id)
    const restored = accounts.filter(({ username }) => !leftOut.has(username))
    for (const account of restored) {
      await writeOwner(target, { ...account, ...findOwner(store, account.id) })
      await syncPath(target.userDirectory(account.id))
    }
    return rebuildUniqueIndex(target, store, restored)
  } finally {
    store.close()
  }
}

/** An account that was restored into a temporary directory and checked. */
interface TemporaryAccount {
  /** The account's row in the platform file. */
  readonly account: Account
  /** The temporary directory. */
  readonly layout: Layout
  /** Time of the backup in seconds. */
  readonly made: number
}

/** The result of restoring one account, and the time of the backup (seconds). */
export interface RestoreResult {
  readonly done: 'added' | 'replaced'
  readonly made: number
}

/**
 * Restores one account into a temporary directory within `target`, and removes the directory after `place` has moved the account to
 * its destination. Throws {@link BackupError} for any damage, and if the backup does not contain the account.
 */
export async function restoreTemporarily(
  vault: Vault,
  target: Layout,
  username: string,
  options: RestoreOptions,
  place: (layout: Layout, account: Account) => Promise<RestoreResult['done']>
): Promise<RestoreResult> {
  const { account, layout, made } = await restoreToTemporary(vault, target, username, options)
  try {
    return { done: await place(layout, account), made }
  } finally {
    removeCopyFolder(layout)
  }
}

/** Restores an account into a temporary directory from which it can be renamed. */
async function restoreToTemporary(
  vault: Vault,
  target: Layout,
  username: string,
  { at, vetting }: RestoreOptions
): Promise<TemporaryAccount> {
  const manifest = await findManifest(vault, at)
  const user = manifest.users.find(each => each.username === username)
  if (!user) throw new BackupError(`The backup contains no account ${username}`)
  const layout = createCopyFolder(target)
  try {
    const problems = await restoreAccountFiles(vault, layout, user, { ...vetting, keepsFiles: true })
    if (problems.length > 0)
      throw new BackupError(
        `The backup of ${username} is damaged.\n${problems.map(formatProblem).join('\n')}`
      )
    await restorePlatformFile(vault, layout, manifest)
    const store = new PlatformStore(layout)
    const found = store.find(username)
    const account = found && { ...found, formerUsernames: store.usernames.listFormer(found.id) }
    store.close()
    if (!account) throw new BackupError(`${username} is missing from the platform database of the backup`)
    return { account, layout, made: manifest.made }
  } catch (error) {
    removeCopyFolder(layout)
    throw error
  }
}
