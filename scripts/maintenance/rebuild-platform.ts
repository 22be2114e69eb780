/**
 * Rebuilds the platform file from the account databases, or only its index of unique values if the file is otherwise intact. A
 * damaged file is renamed and kept.
 */
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { StorageFull, StoreTooNew, translateError } from '../../storage/errors.js'
import { syncPath, syncPathNow } from '../../storage/files/durable.js'
import { PlatformInspection } from '../../storage/inspection/platform-inspection.js'
import { isAccountId, type Layout } from '../../storage/files/layout.js'
import { findOwner, readOwner, writeOwner } from '../../storage/platform/owner.js'
import { PlatformStore } from '../../storage/platform/platform-store.js'
import { recoverPlatformFile } from '../../storage/platform/recover-platform-file.js'
import type { Progress } from '../terminal/progress.js'
import { getErrorMessage } from './pending-migrations.js'
import { assertNotNewer, rebuildUniqueIndex, readUniqueValues } from './unique-index.js'
import type { Account } from '../../storage/platform/account.js'

interface RebuildReport {
  /** True if the whole file was rebuilt. */
  readonly isNew: boolean
  accounts: number
  /** New path of the damaged file. */
  readonly former?: string
  readonly problems: { readonly user?: string; readonly detail: string }[]
}

/**
 * Rebuilds the platform file if it is damaged or missing, otherwise only its index of unique values. A
 * damaged file is renamed and kept. Accounts that cannot be read, and conflicts, are reported as problems.
 * The caller must hold the lock of the directory. Throws `StoreTooNew`, with nothing changed, for files of a
 * newer version of the software, which are not damaged.
 */
export async function rebuildPlatform(layout: Layout, progress?: Progress): Promise<RebuildReport> {
  try {
    return isPlatformFileIntact(layout) ? await rebuildIndex(layout, progress) : rebuildAll(layout, progress)
  } catch (error) {
    throw translateError(error, layout.platformFile)
  }
}

/**
 * Returns true if the platform file is usable, also if it is of an earlier version; false if it is missing or
 * damaged. Throws `StoreTooNew`, `StorageFull`.
 */
export function isPlatformFileIntact(layout: Layout): boolean {
  try {
    const inspection = new PlatformInspection(layout)
    try {
      return inspection.findProblems().every(problem => problem.startsWith('is of an earlier version'))
    } finally {
      inspection.close()
    }
  } catch (error) {
    if (error instanceof StoreTooNew || error instanceof StorageFull) throw error
    return false
  }
}

/** Rebuilds the index of unique values, and the file in each account's folder that names its owner. */
async function rebuildIndex(layout: Layout, progress?: Progress): Promise<RebuildReport> {
  const platform = new PlatformStore(layout)
  const report: RebuildReport = { isNew: false, accounts: 0, problems: [] }
  try {
    const accounts = platform
      .listKnown('', Number.MAX_SAFE_INTEGER)
      .filter(account => isReadable(layout, account, report))
    progress?.begin(accounts.length)
    for (const account of accounts) {
      await writeOwner(layout, { ...account, ...findOwner(platform, account.id) })
      await syncPath(layout.userDirectory(account.id))
    }
    for (const { field, user } of rebuildUniqueIndex(layout, platform, accounts))
      report.problems.push({ user, detail: `another account has the same ${field}` })
    report.accounts = accounts.length
    progress?.step(accounts.length)
    return report
  } finally {
    platform.close()
  }
}

/** Returns whether an account's file can be read. Reports it otherwise. */
function isReadable(
  layout: Layout,
  { id, username }: Pick<Account, 'id' | 'username'>,
  report: RebuildReport
): boolean {
  try {
    readUniqueValues(layout, id)
    return true
  } catch (error) {
    report.problems.push({ user: username, detail: getErrorMessage(error) })
    return false
  }
}

/**
 * Rebuilds the platform file from what is still readable of it and from all accounts. Throws if a file is of a newer
 * version.
 */
function rebuildAll(layout: Layout, progress?: Progress): RebuildReport {
  const { platformFile, root } = layout
  const folders = listAccountIds(layout)
  for (const id of folders) assertNotNewer(layout, id)
  const { accounts, ...others } = recoverPlatformFile(platformFile)
  const known = new Map(accounts.map(account => [account.id, account]))
  const former = existsSync(platformFile) ? `${platformFile}.damaged-${Date.now()}` : undefined
  const report: RebuildReport = {
    isNew: true,
    accounts: 0,
    ...(former !== undefined && { former }),
    problems: []
  }
  // Built under another name, so that a crash cannot leave an incomplete file in place.
  const draft = join(root, 'platform.rebuilt')
  removeDatabase(draft)
  const platform = new PlatformStore({ platformFile: draft, usersDirectory: draft })
  progress?.begin(folders.length)
  for (const [index, id] of folders.entries()) {
    addAccount(layout, platform, id, known.get(id), report)
    progress?.step(index + 1)
  }
  platform.restore(others)
  platform.close()
  for (const kind of former === undefined ? [] : ['', '-wal', '-shm'])
    if (existsSync(platformFile + kind)) renameSync(platformFile + kind, former + kind)
  removeDatabase(platformFile)
  renameSync(draft, platformFile)
  syncPathNow(root)
  return report
}

/** Adds an account with the name stored in its folder, or the name in the recovered platform file, or its id as its name. */
function addAccount(
  layout: Layout,
  platform: PlatformStore,
  id: string,
  known: Account | undefined,
  report: RebuildReport
): void {
  const owner = readOwner(layout, id) ?? known
  const { created = 0, formerUsernames = [], username = id } = owner ?? {}
  if (!owner) report.problems.push({ user: id, detail: 'its name is unknown. It is now named by its ID' })
  const { deletion = null, quota = null, relocatedTo = null, suspended = null } = known ?? {}
  const account = { id, username, created, formerUsernames, deletion, quota, relocatedTo, suspended }
  const isReadableFile = isReadable(layout, account, report)
  const taken = platform.adopt(account, isReadableFile ? readUniqueValues(layout, id) : [])
  report.accounts++
  if (taken.length === 0) return
  report.problems.push({ user: username, detail: `another account has the same ${taken.join(' and ')}` })
  const isNameFree = !taken.includes('username')
  platform.adopt({ ...account, username: isNameFree ? username : id }, [])
}

/** Returns the ids of all accounts with a folder. */
function listAccountIds({ usersDirectory }: Layout): string[] {
  if (!existsSync(usersDirectory)) return []
  const shards = readdirSync(usersDirectory, { withFileTypes: true }).filter(entry => entry.isDirectory())
  return shards.flatMap(shard => readdirSync(join(usersDirectory, shard.name)).filter(isAccountId))
}

function removeDatabase(file: string): void {
  for (const kind of ['', '-wal', '-shm']) rmSync(file + kind, { force: true })
}
