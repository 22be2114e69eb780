/**
 * Brings back what a backup holds: all of it into an empty data directory, or one account beside others. Everything is read
 * and checked before anything takes the place of something else.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeFolderNow, syncPath } from '../../storage/files/durable.js'
import { Layout } from '../../storage/files/layout.js'
import { lockDirectory } from '../../storage/sqlite/lock.js'
import { writeOwner } from '../../storage/platform/owner.js'
import { PlatformStore } from '../../storage/platform/platform-store.js'
import type { Problem } from '../maintenance/check-account.js'
import type { Progress } from '../terminal/progress.js'
import { reindex, type Conflict } from '../maintenance/unique-index.js'
import type { VettingOptions } from '../vetting/examiner.js'
import { webhookIdsOf } from '../maintenance/webhook-ids.js'
import { BackupError } from './backup-error.js'
import { bringBack } from './bring-back.js'
import { bringPlatform } from './bring-platform.js'
import { readManifest, type BackedUp, type Manifest } from './manifest.js'
import type { Vault } from './vault.js'
import type { Account } from '../../storage/platform/account.js'

export interface RestoreReport {
  /** When the backup was made, seconds: who has replaced it by an older one cannot hide that. */
  readonly made: number
  readonly isEncrypted: boolean
  accounts: number
  /** Accounts that could not be brought back as they were. */
  readonly problems: Problem[]
}

export interface RestoreOptions {
  readonly vetting: VettingOptions
  readonly progress?: Progress | undefined
}

/** Of a data directory that nothing has been written to. */
const lockNames = new Set(['coffer.lock', 'coffer.lock.pid', 'coffer.lock-journal'])

/** The manifest of a backup that has been finished once. Throws `NotAuthentic`, {@link BackupError}. */
export async function manifestOf(vault: Vault): Promise<Manifest> {
  const manifest = await readManifest(vault)
  if (!manifest) throw new BackupError(`${vault.root} holds no finished backup`)
  return manifest
}

/** Brings each account of a backup back to a place of its own that is gone afterwards: all that is done to restore it. */
export async function verifyBackup(vault: Vault, options: RestoreOptions): Promise<RestoreReport> {
  const manifest = await manifestOf(vault)
  const report = reportOn(vault, manifest)
  const side = new Layout(mkdtempSync(join(tmpdir(), 'coffer-verify-')))
  try {
    await bringAll(vault, side, manifest.users, false, options, report, ({ id }) =>
      rmSync(side.userDirectory(id), { recursive: true, force: true })
    )
    await bringPlatform(vault, side, manifest).catch((error: Error) =>
      report.problems.push({ kind: 'platform', detail: error.message })
    )
    return report
  } finally {
    rmSync(side.root, { recursive: true, force: true })
  }
}

/**
 * Restores all accounts into a data directory that is empty. If any of them is damaged, nothing is restored, unless such
 * accounts are to be left out.
 */
export async function restoreAll(
  vault: Vault,
  target: Layout,
  options: RestoreOptions & { readonly skipsDamaged: boolean }
): Promise<RestoreReport> {
  const manifest = await manifestOf(vault)
  makeFolderNow(target.root)
  const release = lockDirectory(target.lockFile)
  try {
    if (readdirSync(target.root).some(name => !lockNames.has(name)))
      throw new BackupError(
        `${target.root} is not empty: all accounts are restored into an empty folder only`
      )
    return await restoreInto(vault, target, manifest, options)
  } finally {
    release()
  }
}

async function restoreInto(
  vault: Vault,
  target: Layout,
  manifest: Manifest,
  options: RestoreOptions & { readonly skipsDamaged: boolean }
): Promise<RestoreReport> {
  const report = reportOn(vault, manifest)
  const { users } = manifest
  try {
    await bringAll(vault, target, users, true, options, report, ({ id }, problems) => {
      if (problems.length > 0) rmSync(target.userDirectory(id), { recursive: true, force: true })
    })
    if (report.problems.length > 0 && !options.skipsDamaged)
      throw new BackupError(
        `Nothing has been restored: the backup is damaged (--skip-damaged leaves such accounts out).\n${report.problems.map(lineOf).join('\n')}`
      )
    // Last: without it nobody takes the folder for a data directory.
    await bringPlatform(vault, target, manifest)
    const leftOut = new Set(report.problems.flatMap(({ user }) => user ?? []))
    for (const { field, user } of await settlePlatform(target, users, leftOut))
      report.problems.push({ kind: 'platform', user, detail: `another account has the same ${field}` })
    report.accounts -= leftOut.size
    await syncPath(target.root)
    return report
  } catch (error) {
    for (const name of readdirSync(target.root))
      if (!lockNames.has(name)) rmSync(join(target.root, name), { recursive: true, force: true })
    throw error
  }
}

/** Brings account after account back; `done` is told of each with what is wrong with it. */
async function bringAll(
  vault: Vault,
  target: Layout,
  users: readonly BackedUp[],
  keepsFiles: boolean,
  { progress, vetting }: RestoreOptions,
  report: RestoreReport,
  done: (user: BackedUp, problems: readonly Problem[]) => void
): Promise<void> {
  const webhooks = new Set<string>()
  progress?.begin(users.length)
  for (const user of users) {
    const problems = await bringBack(vault, target, user, { ...vetting, keepsFiles })
    for (const id of problems.length === 0 ? webhookIdsOf(target, user.id) : []) {
      if (webhooks.has(id))
        problems.push({ kind: 'webhook', user: user.username, id, detail: 'is one of another account, too' })
      webhooks.add(id)
    }
    report.problems.push(...problems)
    done(user, problems)
    report.accounts++
    progress?.step(report.accounts)
  }
}

function reportOn({ isEncrypted }: Vault, { made }: Manifest): RestoreReport {
  return { made, isEncrypted, accounts: 0, problems: [] }
}

/** Lets the platform file know of the accounts that have been restored, and of what they hold today. */
async function settlePlatform(
  target: Layout,
  users: readonly BackedUp[],
  leftOut: ReadonlySet<string>
): Promise<Conflict[]> {
  const store = new PlatformStore(target)
  try {
    // Nobody waits for an answer any more.
    store.authRequests.removeExpired(Infinity)
    const accounts = users.flatMap(({ username }) => store.find(username) ?? [])
    for (const { id } of accounts.filter(({ username }) => leftOut.has(username))) store.remove(id)
    const restored = accounts.filter(({ username }) => !leftOut.has(username))
    for (const account of restored) {
      await writeOwner(target, account)
      await syncPath(target.userDirectory(account.id))
    }
    return reindex(target, store, restored)
  } finally {
    store.close()
  }
}

/** An account that has been restored to the side, and checked. */
export interface SetAside {
  /** The account as the platform knew it. */
  readonly account: Account
  /** Where it lies. */
  readonly layout: Layout
  /** When the backup was made, seconds. */
  readonly made: number
}

/** Restores one account beside those of a data directory, on the same device. Throws {@link BackupError} for any damage. */
export async function setAside(
  vault: Vault,
  target: Layout,
  username: string,
  { vetting }: RestoreOptions
): Promise<SetAside> {
  const manifest = await manifestOf(vault)
  const user = manifest.users.find(each => each.username === username)
  if (!user) throw new BackupError(`The backup holds no account ${username}`)
  const root = mkdtempSync(join(target.root, `copies-${process.pid}-`))
  try {
    const layout = new Layout(root)
    const problems = await bringBack(vault, layout, user, { ...vetting, keepsFiles: true })
    if (problems.length > 0)
      throw new BackupError(`The backup of ${username} is damaged.\n${problems.map(lineOf).join('\n')}`)
    await bringPlatform(vault, layout, manifest)
    const store = new PlatformStore(layout)
    const account = store.find(username)
    store.close()
    if (!account) throw new BackupError(`The platform file of the backup does not know ${username}`)
    return { account, layout, made: manifest.made }
  } catch (error) {
    rmSync(root, { recursive: true, force: true })
    throw error
  }
}

function lineOf({ detail, id, kind, user }: Problem): string {
  return [kind, user, id, detail].filter(part => part !== undefined).join('\t')
}
