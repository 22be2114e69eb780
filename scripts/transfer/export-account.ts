/** Exports one account to a ZIP file, whether or not a service is running. */
import { existsSync } from 'node:fs'
import { link, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { listArchiveFiles } from '../../core/account/archive.js'
import { DiskAttachments } from '../../storage/files/attachments.js'
import { copyUserFile } from '../../storage/sqlite/copies.js'
import { syncPath, writeWithin } from '../../storage/files/durable.js'
import type { Layout } from '../../storage/files/layout.js'
import { createCopyFolder, removeCopyFolder } from '../../storage/sqlite/copy-folders.js'
import { AccountReader } from '../../storage/transfer/account-reader.js'
import { createZip } from '../../transports/http/answer/zip.js'
import { TransferError } from './transfer-error.js'
import type { Account } from '../../storage/platform/account.js'

/**
 * Writes the archive. With `hasSecrets`, another server can take over the account unchanged. Returns the ids of attachments that were
 * missing when they were to be read: such an archive cannot be imported.
 */
export async function exportAccount(
  source: Layout,
  account: Account,
  file: string,
  hasSecrets: boolean
): Promise<string[]> {
  if (existsSync(file)) throw new TransferError(`${file} already exists`)
  const side = createCopyFolder(source)
  const draft = `${file}.${process.pid}.part`
  const absent: string[] = []
  try {
    await copyUserFile(source, side, account.id)
    const reader = new AccountReader(side.userFile(account.id), { hasSecrets })
    try {
      const made = Date.now() / 1000
      const options = { hasSecrets, made, onMissing: (id: string): void => void absent.push(id) }
      const files = listArchiveFiles(account, reader, new DiskAttachments(source), options)
      await writeWithin(dirname(file), draft, await createZip(files))
    } finally {
      reader.close()
    }
    // Not a rename, which would overwrite a file created meanwhile.
    await link(draft, file)
    await syncPath(dirname(file))
    return absent
  } finally {
    await rm(draft, { force: true })
    removeCopyFolder(side)
  }
}
