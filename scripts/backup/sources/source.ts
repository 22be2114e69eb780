/** Where the files of a backup are read from. */
import type { Account } from '../../../storage/platform/account.js'
import type { Layout } from '../../../storage/files/layout.js'

export interface BackupSource {
  /** Copies the platform file below `draft`. The copy belongs to no cluster. */
  copyPlatform(draft: Layout): Promise<void>
  /**
   * Returns a mark that changes with the account's file: equal marks mean equal content. Returns `undefined` if
   * equality would not be certain. The mark must be taken before the copy that it describes.
   */
  getChangeMark(account: Account): Promise<string | undefined>
  /** Copies the account's file below `draft`, in the state after one commit. Rejects with an error that gives the reason. */
  copyAccount(account: Account, draft: Layout): Promise<void>
  /**
   * Calls `use` with the path of an attachment's file, which never changes. Resolves with the result; with `undefined`, without
   * calling it, if the file no longer exists.
   */
  withAttachment<T>(
    account: Account,
    id: string,
    draft: Layout,
    use: (path: string) => Promise<T>
  ): Promise<T | undefined>
  /** Returns true if an account that could not be copied has been deleted. */
  isDeleted(account: Account): Promise<boolean>
}
