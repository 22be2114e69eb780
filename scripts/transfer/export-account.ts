/** Exports one account to a ZIP file, whether or not a service is running. */
import { existsSync } from 'node:fs'
import { link, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { listArchiveFiles } from '../../core/account/archive.js'
import { DiskAttachments, type AttachmentStore } from '../../storage/files/attachments.js'
import { copyUserFile } from '../../storage/sqlite/copies.js'
import { nameOriginal } from '../../storage/errors.js'
import { syncPath, writeWithin } from '../../storage/files/durable.js'
import type { Layout } from '../../storage/files/layout.js'
import { createCopyFolder, removeCopyFolder } from '../../storage/sqlite/copy-folders.js'
import { AccountReader } from '../../storage/transfer/account-reader.js'
import { migrateUserFile } from '../../storage/user/adoption.js'
import { createZip } from '../../transports/http/answer/zip.js'
import { TransferError } from './transfer-error.js'
import type { Account } from '../../storage/platform/account.js'

/**
 * Writes the archive, from a copy of the account's file. With `includesSecrets`, another server can take over
 * the account unchanged. Returns the ids of attachments that are missing or damaged; the archive cannot be
 * imported then. Throws {@link TransferError} if the file exists.
 */
export async function exportAccount(
  source: Layout,
  account: Account,
  file: string,
  {
    attachments = new DiskAttachments(source),
    includesSecrets
  }: { readonly includesSecrets: boolean; readonly attachments?: AttachmentStore }
): Promise<string[]> {
  if (existsSync(file)) throw new TransferError(`${file} already exists`)
  const copy = createCopyFolder(source)
  const draft = `${file}.${process.pid}.part`
  const damaged: string[] = []
  try {
    await copyUserFile(source, copy, account.id)
    const original = source.userFile(account.id)
    try {
      migrateUserFile(copy, account.id)
    } catch (error) {
      throw nameOriginal(error, copy.userFile(account.id), original)
    }
    const reader = new AccountReader(copy.userFile(account.id), { includesSecrets, original })
    try {
      const createdAt = Date.now() / 1000
      const options = { includesSecrets, createdAt, onDamaged: (id: string): void => void damaged.push(id) }
      const files = listArchiveFiles(account, reader, attachments, options)
      await writeWithin(dirname(file), draft, await createZip(files))
    } finally {
      reader.close()
    }
    // A rename would overwrite a file that was created in the meantime.
    await link(draft, file)
    await syncPath(dirname(file))
    return damaged
  } finally {
    await rm(draft, { force: true })
    removeCopyFolder(copy)
  }
}
