/** Brings an account in from an archive: made and checked to the side, then put in place in one step. */
import { mkdtempSync, mkdirSync, rmSync, statfsSync } from 'node:fs'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Value } from 'typebox/value'
import { newId, newToken } from '../../core/ids.js'
import { Username } from '../../schemas/account.js'
import { DiskAttachments } from '../../storage/attachments.js'
import { migrateUserFile } from '../../storage/copies.js'
import { makeFolderNow, syncPath } from '../../storage/files.js'
import { Layout } from '../../storage/layout.js'
import { exportedTables, type ExportedTable, type Row } from '../../storage/transfer/tables.js'
import { AccountWriter } from '../../storage/transfer/account-writer.js'
import { AccountCheck, type Problem } from '../check-account.js'
import { newCounts } from '../check.js'
import { accountIn, bringIn, Taken } from '../place-account.js'
import { valuesOf } from '../unique-index.js'
import { Archive, refused } from './read-archive.js'
import { mustBeTree } from './stream-forest.js'
import { TransferError } from './transfer-error.js'

/** Part of the free space that an import may take. */
const share = 0.9

/** Answers the name of the account. Raises {@link TransferError}, `Taken`; then nothing of it is left. */
export async function importAccount(
  target: Layout,
  file: string,
  as: string | undefined,
  isReserved: (username: string) => boolean
): Promise<{ username: string; hasSecrets: boolean }> {
  makeFolderNow(target.root)
  const { bavail, bsize } = statfsSync(target.root)
  const archive = await Archive.open(file, bavail * bsize * share)
  const side = new Layout(mkdtempSync(join(target.root, `copies-${process.pid}-`)))
  try {
    const { created, hasSecrets } = archive.head
    const username = as ?? archive.head.username
    if (!Value.Check(Username, username))
      throw new TransferError(
        `${JSON.stringify(username)} cannot be the name of an account: name one by --as.`
      )
    if (isReserved(username))
      throw new TransferError(`The name ${username} is reserved: name another one by --as.`)
    if (accountIn(target, username)) throw new Taken(username, ['username'])
    const account = { id: newId(), username, created, relocatedTo: null }
    await fill(side, account.id, archive)
    await mustBeSound(side, account)
    await bringIn(target, side, account)
    return { username, hasSecrets }
  } catch (error) {
    throw error instanceof Taken ? error : refused(file, error)
  } finally {
    archive.close()
    rmSync(side.root, { recursive: true, force: true })
  }
}

async function fill(side: Layout, id: string, archive: Archive): Promise<void> {
  const { hasSecrets, schema } = archive.head
  const writer = new AccountWriter(side.userFile(id), schema)
  try {
    for (const table of exportedTables)
      for await (const row of archive.rows(table))
        writer.insert(table, hasSecrets ? row : withNewSecrets(table, row))
    writer.finish()
  } finally {
    writer.close()
  }
  migrateUserFile(side, id)
  for (const fileId of archive.attachments) {
    const folder = join(side.attachmentsDirectory(id), fileId.slice(-2))
    mkdirSync(folder, { recursive: true })
    await pipeline(archive.attachment(fileId), createWriteStream(join(folder, fileId), { flush: true }))
    await syncPath(folder)
  }
  if (archive.attachments.length > 0) await syncPath(side.attachmentsDirectory(id))
  await syncPath(side.userDirectory(id))
}

/** In an archive without secrets accesses have no tokens: they get new ones, which nobody knows but the user. */
function withNewSecrets(table: ExportedTable, row: unknown): unknown {
  if (typeof row !== 'object' || row === null) return row
  const { body } = row as Row
  if (typeof body !== 'object') return row
  if (table === 'access') {
    const token = newToken()
    return { ...row, token, body: { ...body, token } }
  }
  // What is followed cannot be read any more; that it was followed is known.
  if (table === 'followed_slice') return { ...row, body: { ...body, accessToken: newToken() } }
  return row
}

async function mustBeSound(side: Layout, account: { id: string; username: string }): Promise<void> {
  const problems: Problem[] = []
  const report = (problem: Problem): void => void problems.push(problem)
  const files = new DiskAttachments(side)
  const counts = newCounts()
  mustBeTree(side, account.id)
  await new AccountCheck(side, files, account, counts, valuesOf(side, account.id), report).run()
  const [first] = problems
  if (first) throw new TransferError([first.kind, first.id, first.detail].filter(Boolean).join(' '))
  if (counts.leftOver > 0) throw new TransferError('it holds files that no event has')
}
