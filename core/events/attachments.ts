/** Files on their way into events, and the tokens by which they are read. (docs/spec/attachments.md) */
import type { Attachment } from '../../schemas/event.js'
import { newId } from '../ids.js'
import type { UploadedFile } from '../call/outcome.js'
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'

/** Puts uploaded files in their place, before any row names them. If one fails, none stays. */
export async function keepFiles(
  core: Services,
  account: Account,
  files: readonly UploadedFile[]
): Promise<Attachment[]> {
  const { isActive, algorithm } = core.config.integrity
  const kept: Attachment[] = []
  try {
    for (const { fileName, type, received } of files) {
      const id = newId()
      await core.attachments.put(account.id, id, received)
      const integrity = isActive.attachments ? { integrity: `${algorithm}-${received.digest}` } : {}
      kept.push({ id, fileName, type, size: received.size, ...integrity })
    }
    return kept
  } catch (error) {
    await dropFiles(core, account, kept)
    // An account that was deleted meanwhile says so itself.
    core.accounts.store(account)
    throw error
  }
}

/** Removes files that no event names, or none any longer. What cannot be removed now is swept later. */
export async function dropFiles(
  core: Services,
  account: Account,
  attachments: readonly Pick<Attachment, 'id'>[]
): Promise<void> {
  for (const { id } of attachments)
    try {
      // What failed may have failed after its commit: bytes that a row names stay.
      if (core.accounts.store(account).attachments.has(id)) continue
      await core.attachments.remove(account.id, id)
    } catch (cause) {
      core.log.warn('an attachment could not be removed', { accountId: account.id, cause })
    }
}
