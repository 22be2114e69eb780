/** Where the files of a backup come from. */
import type { Account } from '../../../storage/platform/account.js'
import type { Layout } from '../../../storage/files/layout.js'

export interface BackupSource {
  /** Makes a copy of the platform file below `draft`, which belongs to no cluster. */
  copyPlatform(draft: Layout): Promise<void>
  /**
   * A mark that changes when the account's file does: equal marks mean equal content. `undefined` if that cannot be said. It is
   * to be taken before the copy that it describes.
   */
  markOf(account: Account): Promise<string | undefined>
  /** Makes a copy of the account's file below `draft`, as it is after one commit. Rejects with an error that says why not. */
  copyAccount(account: Account, draft: Layout): Promise<void>
  /**
   * Has `use` take the file of an attachment, which never changes, by its path. Resolves with what that does; with `undefined`,
   * without a call, if there is no such file any more.
   */
  withAttachment<T>(
    account: Account,
    id: string,
    draft: Layout,
    use: (path: string) => Promise<T>
  ): Promise<T | undefined>
  /** Whether an account that could not be copied has been deleted. */
  isGone(account: Account): Promise<boolean>
}
