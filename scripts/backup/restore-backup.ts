/**
 * Brings back what a backup holds: all of it into an empty data directory, or one account beside others. Everything is read
 * and checked before anything takes the place of something else.
 */
import { createWriteStream, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { DiskAttachments } from '../../storage/attachments.js'
import { migratePlatformFile, migrateUserFile } from '../../storage/copies.js'
import { makeFolderNow, syncPath } from '../../storage/files.js'
import { Layout } from '../../storage/layout.js'
import { lockDirectory } from '../../storage/lock.js'
import { writeOwner } from '../../storage/owner.js'
import { PlatformStore, type Account } from '../../storage/platform-store.js'
import { AccountCheck, type Problem } from '../check-account.js'
import { newCounts } from '../check.js'
import { reindex, valuesOf, type Conflict } from '../unique-index.js'
import { readManifest, readRecord, type BackedUp, type Manifest } from './manifest.js'
import type { Progress } from './make-backup.js'
import { BackupError, type Stored, type Vault } from './vault.js'

export interface RestoreReport {
  accounts: number
  /** Accounts that could not be brought back as they were. */
  readonly problems: Problem[]
}

/** The manifest of a backup that has been finished once. Raises `NotAuthentic`, {@link BackupError}. */
export async function manifestOf(vault: Vault): Promise<Manifest> {
  const manifest = await readManifest(vault)
  if (!manifest) throw new BackupError(`${vault.root} holds no finished backup.`)
  return manifest
}

/** Reads all of a backup; writes nothing. */
export async function verifyBackup(vault: Vault, progress?: Progress): Promise<RestoreReport> {
  const { platform, users } = await manifestOf(vault)
  const report: RestoreReport = { accounts: 0, problems: [] }
  await vault.verify(platform)
  progress?.begin(users.length)
  for (const user of users) {
    try {
      const { attachments, file } = await readRecord(vault, user)
      for (const stored of [file, ...attachments]) await vault.verify(stored)
    } catch (error) {
      report.problems.push(problemOf(user, error))
    }
    report.accounts++
    progress?.step(report.accounts)
  }
  return report
}

/**
 * Restores all accounts into a data directory that is empty. If any of them is damaged, nothing is restored, unless such
 * accounts are to be left out.
 */
export async function restoreAll(
  vault: Vault,
  target: Layout,
  { progress, skipsDamaged }: { readonly progress?: Progress | undefined; readonly skipsDamaged: boolean }
): Promise<RestoreReport> {
  const { platform, users } = await manifestOf(vault)
  makeFolderNow(target.root)
  const release = lockDirectory(target.lockFile)
  try {
    const there = readdirSync(target.root).filter(name => !name.startsWith('coffer.lock'))
    if (there.length > 0)
      throw new BackupError(
        `${target.root} is not empty: all accounts are restored into an empty folder only.`
      )
    return await restoreInto(vault, target, platform, users, skipsDamaged, progress)
  } finally {
    release()
  }
}

async function restoreInto(
  vault: Vault,
  target: Layout,
  platform: Stored,
  users: readonly BackedUp[],
  skipsDamaged: boolean,
  progress: Progress | undefined
): Promise<RestoreReport> {
  const report: RestoreReport = { accounts: 0, problems: [] }
  try {
    progress?.begin(users.length)
    for (const user of users) {
      const problems = await restoreUser(vault, target, user)
      report.problems.push(...problems)
      if (problems.length > 0) rmSync(target.userDirectory(user.id), { recursive: true, force: true })
      report.accounts++
      progress?.step(report.accounts)
    }
    if (report.problems.length > 0 && !skipsDamaged)
      throw new BackupError(
        `Nothing has been restored: the backup is damaged (--skip-damaged leaves such accounts out).\n${report.problems.map(lineOf).join('\n')}`
      )
    // Last: without it nobody takes the folder for a data directory.
    await fetchFile(vault, platform, target.platformFile)
    migratePlatformFile(target)
    const leftOut = new Set(report.problems.flatMap(({ user }) => user ?? []))
    for (const { field, user } of await settlePlatform(target, users, leftOut))
      report.problems.push({ kind: 'platform', user, detail: `another account has the same ${field}` })
    report.accounts -= leftOut.size
    await syncPath(target.root)
    return report
  } catch (error) {
    for (const name of readdirSync(target.root))
      if (!name.startsWith('coffer.lock')) rmSync(join(target.root, name), { recursive: true, force: true })
    throw error
  }
}

/** Lets the platform file know of the accounts that have been restored, and of what they hold today. */
async function settlePlatform(
  target: Layout,
  users: readonly BackedUp[],
  leftOut: ReadonlySet<string>
): Promise<Conflict[]> {
  const store = new PlatformStore(target)
  try {
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
  readonly user: BackedUp
  /** The account as the platform knew it. */
  readonly account: Account
  /** Where it lies. */
  readonly layout: Layout
}

/** Restores one account beside those of a data directory, on the same device. Raises {@link BackupError} for any damage. */
export async function setAside(vault: Vault, target: Layout, username: string): Promise<SetAside> {
  const { platform, users } = await manifestOf(vault)
  const user = users.find(each => each.username === username)
  if (!user) throw new BackupError(`The backup holds no account ${username}.`)
  const root = mkdtempSync(join(target.root, `copies-${process.pid}-`))
  try {
    const layout = new Layout(root)
    const problems = await restoreUser(vault, layout, user)
    if (problems.length > 0)
      throw new BackupError(`The backup of ${username} is damaged.\n${problems.map(lineOf).join('\n')}`)
    await fetchFile(vault, platform, layout.platformFile)
    migratePlatformFile(layout)
    const store = new PlatformStore(layout)
    const account = store.find(username)
    store.close()
    if (!account) throw new BackupError(`The platform file of the backup does not know ${username}.`)
    return { user, account, layout }
  } catch (error) {
    rmSync(root, { recursive: true, force: true })
    throw error
  }
}

/** Brings the files of one account back and checks all that is in them. Answers what is wrong. */
async function restoreUser(vault: Vault, target: Layout, user: BackedUp): Promise<Problem[]> {
  const { id, username } = user
  const problems: Problem[] = []
  try {
    const { attachments, file } = await readRecord(vault, user)
    await fetchFile(vault, file, target.userFile(id))
    for (const stored of attachments)
      await fetchFile(vault, stored, join(target.attachmentsDirectory(id), stored.id.slice(-2), stored.id))
    migrateUserFile(target, id)
    await settleFolders(target, id)
    const report = (problem: Problem): void => void problems.push(problem)
    const files = new DiskAttachments(target)
    // Whether the platform's index of unique values fits does not matter: it is made anew.
    const check = new AccountCheck(target, files, { id, username }, newCounts(), valuesOf(target, id), report)
    await check.run()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') throw error
    problems.push(problemOf(user, error))
  }
  return problems
}

/** Writes a file's bytes; they are on disk when this resolves. */
async function fetchFile(vault: Vault, stored: Stored, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await pipeline(vault.get(stored), createWriteStream(path, { flush: true }))
}

/** What the folders of an account name is on disk, up to the root. */
async function settleFolders(target: Layout, id: string): Promise<void> {
  const attachments = target.attachmentsDirectory(id)
  if (existsSync(attachments)) {
    for (const shard of readdirSync(attachments)) await syncPath(join(attachments, shard))
    await syncPath(attachments)
  }
  for (let at = target.userDirectory(id); at.length >= target.root.length; at = dirname(at))
    await syncPath(at)
}

function problemOf({ username }: BackedUp, error: unknown): Problem {
  return { kind: 'database', user: username, detail: error instanceof Error ? error.message : String(error) }
}

function lineOf({ detail, id, kind, user }: Problem): string {
  return [kind, user, id, detail].filter(part => part !== undefined).join('\t')
}
