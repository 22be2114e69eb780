/** Imports an account from an archive: creates and checks it in a temporary directory, then moves it in place atomically. */
import { existsSync, rmSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { Value } from 'typebox/value'
import type { Config } from '../../core/settings/config.js'
import { createId } from '../../core/ids.js'
import { isReservedUsername } from '../../core/registration/usernames.js'
import { Username } from '../../schemas/account.js'
import { DiskAttachments } from '../../storage/files/attachments.js'
import { adoptUserFile, migrateUserFile } from '../../storage/user/adoption.js'
import { makeFolderNow, syncPath, writeWithin } from '../../storage/files/durable.js'
import { Layout } from '../../storage/files/layout.js'
import { initialStatus } from '../../storage/platform/account.js'
import { createCopyFolder, removeCopyFolder } from '../../storage/sqlite/copy-folders.js'
import { exportedTables } from '../../storage/transfer/tables.js'
import { pauseDeliveries } from '../../storage/channels/delivery-pause.js'
import { userMigrations } from '../../storage/migrations/user/index.js'
import { openFile } from '../../storage/sqlite/open.js'
import { AccountWriter } from '../../storage/transfer/account-writer.js'
import { findUserFileProblems } from '../../storage/validation/foreign-file.js'
import { AccountCheck, type Problem } from '../maintenance/check-account.js'
import { createCounts } from '../maintenance/check.js'
import { findAccount, addAccount, Taken, Unfinished } from '../maintenance/place-account.js'
import { readUniqueValues } from '../maintenance/unique-index.js'
import { vetAccount } from '../vetting/vet-account.js'
import { RowAdapter } from './row-adapter.js'
import { Archive, toTransferError } from './read-archive.js'
import { TransferError } from './transfer-error.js'

/** Maximum fraction of the free disk space that an import uses. */
const maxDiskShare = 0.9

type NewAccount = Parameters<typeof addAccount>[2]

/** How an archive is imported. */
interface ImportOptions {
  /** Username, instead of that in the archive. */
  readonly as?: string | undefined
  readonly keepsIdentities: boolean
}

/** The result of an import. */
interface ImportResult {
  readonly username: string
  readonly hasSecrets: boolean
  /** Whether the account sends nothing to others until its user resumes. */
  readonly isPaused: boolean
  readonly identitiesLeftOut: number
}

/**
 * Imports an account with a new id, without its sessions. Its deliveries are paused if it has secrets. Throws
 * {@link TransferError} if the archive is not valid, or `Taken` or `Unfinished`, with nothing changed.
 */
export async function importAccount(
  target: Layout,
  file: string,
  manner: ImportOptions,
  config: Config
): Promise<ImportResult> {
  const wasThere = existsSync(target.root)
  makeFolderNow(target.root)
  try {
    return await importInto(target, file, manner, config)
  } catch (error) {
    if (!wasThere) rmSync(target.root, { recursive: true, force: true })
    throw error
  }
}

/**
 * Imports the account of an archive into a data directory. Rejects with `TransferError`, `Taken` or `Unfinished`, with
 * nothing changed.
 */
async function importInto(
  target: Layout,
  file: string,
  { as, keepsIdentities }: ImportOptions,
  config: Config
): Promise<ImportResult> {
  const { bavail, bsize } = statfsSync(target.root)
  const archive = await Archive.open(file, bavail * bsize * maxDiskShare)
  const staging = createCopyFolder(target)
  try {
    const { created, hasSecrets } = archive.head
    const username = as ?? archive.head.username
    assertUsernameFree(target, username, config)
    const formerUsernames = (archive.head.formerUsernames ?? []).filter(name => mayAdopt(name, config))
    const account = { id: createId(), username, created, formerUsernames, ...initialStatus }
    const newcomer = new RowAdapter(target, config, { hasSecrets, keepsIdentities })
    await createFiles(staging, account.id, archive, newcomer)
    await assertValid(staging, account, config)
    const isPaused = hasSecrets && pauseFile(staging.userFile(account.id))
    await addAccount(target, staging, account)
    return { username, hasSecrets, isPaused, identitiesLeftOut: newcomer.identitiesLeftOut }
  } catch (error) {
    throw error instanceof Taken || error instanceof Unfinished ? error : toTransferError(file, error)
  } finally {
    archive.close()
    removeCopyFolder(staging)
  }
}

/**
 * Makes sure that the account sends nothing that another copy of it sends, too, until the user says so. Returns whether there is anything
 * to send.
 */
function pauseFile(file: string): boolean {
  const db = openFile(file, { migrations: userMigrations, synchronous: 'FULL' })
  try {
    return pauseDeliveries(db, Date.now() / 1000)
  } finally {
    db.close()
  }
}

/** Returns whether an imported account may keep a former name, unless the name is taken. */
function mayAdopt(name: string, config: Config): boolean {
  return Value.Check(Username, name) && !isReservedUsername(name, config)
}

function assertUsernameFree(target: Layout, username: string, config: Config): void {
  if (!Value.Check(Username, username))
    throw new TransferError(
      `${JSON.stringify(username)} is not a valid username. Choose another one with --as`
    )
  if (isReservedUsername(username, config))
    throw new TransferError(`The username ${username} is reserved. Choose another one with --as`)
  if (findAccount(target, username)) throw new Taken(username, ['username'])
}

/**
 * Writes the files of the account in the temporary directory, and checks and migrates its database. Rejects with
 * `TransferError`.
 */
async function createFiles(side: Layout, id: string, archive: Archive, newcomer: RowAdapter): Promise<void> {
  const writer = new AccountWriter(side.userFile(id), archive.head.schema)
  try {
    for (const table of exportedTables)
      for await (const row of archive.rows(table)) {
        const own = newcomer.adaptRow(table, row)
        if (own !== undefined) writer.insert(table, own)
      }
    writer.finish()
  } finally {
    writer.close()
  }
  // The rows of an archive are untrusted: check them before anything else uses them.
  const [problem] = findUserFileProblems(side, id)
  if (problem !== undefined) throw new TransferError(`its file ${problem}`)
  migrateUserFile(side, id)
  adoptUserFile(side, id)
  const folders = new Set<string>()
  for (const fileId of archive.attachments) {
    const file = side.attachmentFile(id, fileId)
    await writeWithin(side.root, file, archive.attachment(fileId))
    folders.add(dirname(file))
  }
  for (const folder of folders) await syncPath(folder)
  if (folders.size > 0) await syncPath(side.attachmentsDirectory(id))
  await syncPath(side.userDirectory(id))
}

async function assertValid(side: Layout, account: NewAccount, config: Config): Promise<void> {
  const problems: Problem[] = []
  const report = (problem: Problem): void => void (problems.length === 0 && problems.push(problem))
  const { streamDepth } = config.limits
  vetAccount(side, account, { targetConfig: config, streamDepth, now: Date.now() / 1000 }, report)
  assertNoProblem(problems)
  const files = new DiskAttachments(side)
  const counts = createCounts()
  await new AccountCheck(side, files, account, counts, readUniqueValues(side, account.id), report).run()
  assertNoProblem(problems)
  if (counts.leftOver > 0) throw new TransferError('it contains files that belong to no event')
}

function assertNoProblem([first]: readonly Problem[]): void {
  if (first) throw new TransferError([first.kind, first.id, first.detail].filter(Boolean).join(' '))
}
