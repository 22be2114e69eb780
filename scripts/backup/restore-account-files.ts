/** Restores the files of one account from a backup, and checks their content before they are used. */
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import type { AttachmentStore } from '../../storage/files/attachments.js'
import { DiskAttachments } from '../../storage/files/attachments.js'
import { adoptUserFile, migrateUserFile } from '../../storage/user/adoption.js'
import { syncPath, writeWithin } from '../../storage/files/durable.js'
import { UserInspection } from '../../storage/inspection/user-inspection.js'
import type { Layout } from '../../storage/files/layout.js'
import { findUserFileProblems } from '../../storage/validation/foreign-file.js'
import { AccountCheck, type Problem } from '../maintenance/check-account.js'
import { createCounts } from '../maintenance/check.js'
import { readUniqueValues } from '../maintenance/unique-index.js'
import { vetAccount } from '../vetting/vet-account.js'
import type { VettingOptions } from '../vetting/examiner.js'
import { readRecord, type AccountRecord, type AccountEntry } from './manifest.js'
import type { Vault } from './vault.js'
import type { Stored } from './stored.js'

/** Maximum number of problems reported per account. */
const maxProblems = 20

/**
 * Restores an account below `target`, and migrates and checks it. Returns its problems, at most a limited
 * number; errors are returned as problems, except a full disk, which is thrown. Unless `keepsFiles`,
 * attachments are checked in the backup, but not restored.
 */
export async function restoreAccountFiles(
  vault: Vault,
  target: Layout,
  user: AccountEntry,
  { keepsFiles, ...options }: VettingOptions & { readonly keepsFiles: boolean }
): Promise<Problem[]> {
  const problems: Problem[] = []
  const report = (problem: Problem): void => void (problems.length < maxProblems && problems.push(problem))
  try {
    const record = await readRecord(vault, user)
    await restoreFile(vault, record.file, target, target.userFile(user.id))
    for (const detail of findUserFileProblems(target, user.id)) report(toProblem(user, detail))
    if (problems.length > 0) return problems
    migrateUserFile(target, user.id)
    adoptUserFile(target, user.id)
    vetAccount(target, user, options, report)
    for (const problem of findFileDifferences(target, user, record)) report(problem)
    // Stop here: following rows that are known to be invalid might never end.
    if (problems.length > 0) return problems
    if (keepsFiles) await fetchFiles(vault, target, user, record)
    const files = keepsFiles ? new DiskAttachments(target) : new BackupAttachments(vault, record)
    // The unique values are compared with themselves: the platform's index is rebuilt afterwards.
    const check = new AccountCheck(
      target,
      files,
      user,
      createCounts(),
      readUniqueValues(target, user.id),
      report
    )
    await check.run()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') throw error
    report(toProblem(user, error))
  }
  return problems
}

/** Restores a file of the backup below `target`. Its bytes are synced when this resolves. */
export async function restoreFile(vault: Vault, stored: Stored, target: Layout, file: string): Promise<void> {
  await writeWithin(target.root, file, vault.get(stored))
}

/** Returns an error as a problem of an account. */
function toProblem({ username }: AccountEntry, error: unknown): Problem {
  return { kind: 'database', user: username, detail: error instanceof Error ? error.message : String(error) }
}

/** Restores the attachments of an account, and syncs all folders up to the root. */
async function fetchFiles(
  vault: Vault,
  target: Layout,
  { id }: AccountEntry,
  { attachments }: AccountRecord
): Promise<void> {
  for (const stored of attachments)
    await restoreFile(vault, stored, target, target.attachmentFile(id, stored.id))
  const folder = target.attachmentsDirectory(id)
  if (existsSync(folder)) {
    for (const shard of readdirSync(folder)) await syncPath(join(folder, shard))
    await syncPath(folder)
  }
  for (let at = target.userDirectory(id); at.length >= target.root.length; at = dirname(at))
    await syncPath(at)
}

/** Yields a problem for each difference between the listed files and those of the account's events. */
function* findFileDifferences(target: Layout, user: AccountEntry, record: AccountRecord): Generator<Problem> {
  const inspection = new UserInspection(target, user.id)
  try {
    const listed = new Map(record.attachments.map(({ id, size }) => [id, size]))
    const say = (id: string, detail: string): Problem => ({
      kind: 'attachment',
      user: user.username,
      id,
      detail
    })
    for (const { id, size } of inspection.attachments()) {
      if (listed.get(id) === undefined) yield say(id, 'is not in the backup')
      else if (listed.get(id) !== size) yield say(id, `has ${listed.get(id)} bytes instead of ${size}`)
      listed.delete(id)
    }
    for (const id of listed.keys()) yield say(id, 'is in the backup, but belongs to no event')
  } finally {
    inspection.close()
  }
}

/** The attachments of an account in a backup. */
class BackupAttachments implements Pick<AttachmentStore, 'get' | 'list'> {
  readonly #files: ReadonlyMap<string, Stored>

  constructor(
    private readonly vault: Vault,
    { attachments }: AccountRecord
  ) {
    this.#files = new Map(attachments.map(file => [file.id, file]))
  }

  async get(_account: string, id: string): Promise<Readable | undefined> {
    const stored = this.#files.get(id)
    return stored && Readable.from(this.vault.get(stored))
  }

  async list(): Promise<string[]> {
    return [...this.#files.keys()]
  }
}
