/** Takes a backup from the data directory of one machine, whether or not a service is running. */
import { existsSync } from 'node:fs'
import type { Layout } from '../../../storage/files/layout.js'
import type { Account } from '../../../storage/platform/account.js'
import { copyPlatformFile, copyUserFile, getChangeMark } from '../../../storage/sqlite/copies.js'
import type { BackupSource } from './source.js'

export class FolderSource implements BackupSource {
  constructor(private readonly layout: Layout) {}

  async copyPlatform(draft: Layout): Promise<void> {
    await copyPlatformFile(this.layout, draft)
  }

  getChangeMark({ id }: Account): Promise<string | undefined> {
    return Promise.resolve(getChangeMark(this.layout, id))
  }

  async copyAccount({ id }: Account, draft: Layout): Promise<void> {
    await copyUserFile(this.layout, draft, id)
  }

  async withAttachment<T>(
    account: Account,
    id: string,
    _draft: Layout,
    use: (path: string) => Promise<T>
  ): Promise<T | undefined> {
    const path = this.layout.attachmentFile(account.id, id)
    return existsSync(path) ? await use(path) : undefined
  }

  isDeleted({ id }: Account): Promise<boolean> {
    return Promise.resolve(!existsSync(this.layout.userDirectory(id)))
  }
}
