/** Writes all that is kept of one account to a ZIP, whether or not a service owns the data directory. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { link, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { archiveOf } from '../../core/account/archive.js'
import { DiskAttachments } from '../../storage/files/attachments.js'
import { copyUserFile } from '../../storage/sqlite/copies.js'
import { syncPath, writeWithin } from '../../storage/files/durable.js'
import { Layout } from '../../storage/files/layout.js'
import { AccountReader } from '../../storage/transfer/account-reader.js'
import { zipped } from '../../transports/http/answer/zip.js'
import { TransferError } from './transfer-error.js'
import type { Account } from '../../storage/platform/account.js'

/** Writes the ZIP; with `hasSecrets` another server can serve the account from it as it is here. */
export async function exportAccount(
  source: Layout,
  account: Account,
  file: string,
  hasSecrets: boolean
): Promise<void> {
  if (existsSync(file)) throw new TransferError(`${file} exists already`)
  const side = new Layout(mkdtempSync(join(source.root, `copies-${process.pid}-`)))
  const draft = `${file}.${process.pid}.part`
  try {
    await copyUserFile(source, side, account.id)
    const reader = new AccountReader(side.userFile(account.id), hasSecrets)
    try {
      const made = Date.now() / 1000
      const files = archiveOf(account, reader, new DiskAttachments(source), { hasSecrets, made })
      await writeWithin(dirname(file), draft, await zipped(files))
    } finally {
      reader.close()
    }
    // Not a rename: that would replace what somebody else has put there meanwhile.
    await link(draft, file)
    await syncPath(dirname(file))
  } finally {
    await rm(draft, { force: true })
    rmSync(side.root, { recursive: true, force: true })
  }
}
