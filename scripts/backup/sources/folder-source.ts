/** Takes a backup from the data directory of one machine, whether or not a service is running. */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { SharedAttachments } from '../../../cluster/objects/shared-attachments.js'
import type { Layout } from '../../../storage/files/layout.js'
import type { Account } from '../../../storage/platform/account.js'
import { copyPlatformFile, copyUserFile, getChangeMark } from '../../../storage/sqlite/copies.js'
import type { BackupSource } from './source.js'
import type { Settings } from '../../../core/settings/settings.js'
import { openBucket } from '../../maintenance/bucket.js'

export class FolderSource implements BackupSource {
  /** `bucket`: has the attachments that are not on the disk, if they are stored in a bucket. */
  constructor(
    private readonly layout: Layout,
    private readonly bucket?: Pick<SharedAttachments, 'fetchTo'>
  ) {}

  async copyPlatform(draft: Layout): Promise<void> {
    await copyPlatformFile(this.layout, draft)
  }

  getChangeMark({ id }: Account): Promise<string | undefined> {
    return Promise.resolve(getChangeMark(this.layout, id))
  }

  async copyAccount({ id }: Account, draft: Layout): Promise<void> {
    await copyUserFile(this.layout, draft, id)
  }

  /**
   * Runs `use` with the path of an attachment, which is fetched first if it is in a bucket. Resolves with `undefined`
   * if there is none.
   */
  async withAttachment<T>(
    account: Account,
    id: string,
    draft: Layout,
    use: (path: string) => Promise<T>
  ): Promise<T | undefined> {
    const path = this.layout.attachmentFile(account.id, id)
    const copy = join(draft.draftsDirectory, `attachment-${randomUUID()}`)
    try {
      if (existsSync(path)) return await use(path)
      await mkdir(draft.draftsDirectory, { recursive: true, mode: 0o700 })
      return (await this.bucket?.fetchTo(account.id, id, copy)) ? await use(copy) : undefined
    } finally {
      await rm(copy, { force: true })
    }
  }

  isDeleted({ id }: Account): Promise<boolean> {
    return Promise.resolve(!existsSync(this.layout.userDirectory(id)))
  }
}

/** Returns a source that also reads attachments that are only in the bucket. */
export async function openFolderSource(layout: Layout, settings: Settings): Promise<FolderSource> {
  return new FolderSource(layout, await openBucket(layout, settings))
}
