/** Brings an account in from an archive: made and checked to the side, then put in place in one step. */
import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { Value } from 'typebox/value'
import type { Config } from '../../core/settings/config.js'
import { newId } from '../../core/ids.js'
import { isReservedUsername } from '../../core/registration/usernames.js'
import { Username } from '../../schemas/account.js'
import { DiskAttachments } from '../../storage/files/attachments.js'
import { migrateUserFile } from '../../storage/sqlite/copies.js'
import { makeFolderNow, syncPath, writeWithin } from '../../storage/files/durable.js'
import { Layout } from '../../storage/files/layout.js'
import { exportedTables } from '../../storage/transfer/tables.js'
import { AccountWriter } from '../../storage/transfer/account-writer.js'
import { userFileProblems } from '../../storage/vetting/foreign-file.js'
import { AccountCheck, type Problem } from '../maintenance/check-account.js'
import { newCounts } from '../maintenance/check.js'
import { accountIn, bringIn, Taken } from '../maintenance/place-account.js'
import { valuesOf } from '../maintenance/unique-index.js'
import { vetAccount } from '../vetting/vet-account.js'
import { Newcomer } from './newcomer.js'
import { Archive, refused } from './read-archive.js'
import { TransferError } from './transfer-error.js'

/** Part of the free space that an import may take. */
const share = 0.9

type Newborn = Parameters<typeof bringIn>[2]

/** Answers the name of the account. Throws {@link TransferError}, `Taken`; then nothing of it is left. */
export async function importAccount(
  target: Layout,
  file: string,
  as: string | undefined,
  config: Config
): Promise<{ username: string; hasSecrets: boolean }> {
  const wasThere = existsSync(target.root)
  makeFolderNow(target.root)
  try {
    return await brought(target, file, as, config)
  } catch (error) {
    if (!wasThere) rmSync(target.root, { recursive: true, force: true })
    throw error
  }
}

async function brought(
  target: Layout,
  file: string,
  as: string | undefined,
  config: Config
): Promise<{ username: string; hasSecrets: boolean }> {
  const { bavail, bsize } = statfsSync(target.root)
  const archive = await Archive.open(file, bavail * bsize * share)
  const side = new Layout(mkdtempSync(`${target.root}/copies-${process.pid}-`))
  try {
    const { created, hasSecrets } = archive.head
    const username = as ?? archive.head.username
    mustBeFree(target, username, config)
    const account = { id: newId(), username, created, relocatedTo: null }
    await fill(side, account.id, archive, new Newcomer(target, config, hasSecrets))
    await mustBeSound(side, account, config)
    await bringIn(target, side, account)
    return { username, hasSecrets }
  } catch (error) {
    throw error instanceof Taken ? error : refused(file, error)
  } finally {
    archive.close()
    rmSync(side.root, { recursive: true, force: true })
  }
}

function mustBeFree(target: Layout, username: string, config: Config): void {
  if (!Value.Check(Username, username))
    throw new TransferError(`${JSON.stringify(username)} cannot be the name of an account: name one by --as`)
  if (isReservedUsername(username, config))
    throw new TransferError(`The name ${username} is reserved: name another one by --as`)
  if (accountIn(target, username)) throw new Taken(username, ['username'])
}

async function fill(side: Layout, id: string, archive: Archive, newcomer: Newcomer): Promise<void> {
  const writer = new AccountWriter(side.userFile(id), archive.head.schema)
  try {
    for (const table of exportedTables)
      for await (const row of archive.rows(table)) {
        const own = newcomer.rowOf(table, row)
        if (own !== undefined) writer.insert(table, own)
      }
    writer.finish()
  } finally {
    writer.close()
  }
  // Rows of an archive may be of any kind: before anything else is made of them.
  const [problem] = userFileProblems(side, id)
  if (problem !== undefined) throw new TransferError(`its file ${problem}`)
  migrateUserFile(side, id)
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

async function mustBeSound(side: Layout, account: Newborn, config: Config): Promise<void> {
  const problems: Problem[] = []
  const report = (problem: Problem): void => void (problems.length === 0 && problems.push(problem))
  const { streamDepth } = config.limits
  vetAccount(side, account, { home: config, streamDepth, now: Date.now() / 1000 }, report)
  mustBeNone(problems)
  const files = new DiskAttachments(side)
  const counts = newCounts()
  await new AccountCheck(side, files, account, counts, valuesOf(side, account.id), report).run()
  mustBeNone(problems)
  if (counts.leftOver > 0) throw new TransferError('it holds files that no event has')
}

function mustBeNone([first]: readonly Problem[]): void {
  if (first) throw new TransferError([first.kind, first.id, first.detail].filter(Boolean).join(' '))
}
