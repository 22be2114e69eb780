/** What accounts are opened and created with. */
import type { Account, Claim } from './platform/account.js'
import type { UserFilesOptions } from './user/user-files.js'
import type { UserStore } from './user/user-store.js'

export interface AccountsOptions extends UserFilesOptions {
  /**
   * Whether this thread may open an account's file. By default it may open all files; with several threads each serves
   * its own shard.
   */
  readonly owns?: (account: Pick<Account, 'username' | 'formerUsernames'>) => boolean
  /**
   * True if another thread owns the directory. The owner recovers what an earlier run left unfinished, and makes the
   * template.
   */
  readonly isSecondary?: boolean
  readonly maxOpen: number
  readonly idleSeconds: number
  /** Longest time that closing all files may take, in seconds. */
  readonly closingSeconds: number
}

/** An account to create: the name and values that it claims, and the first content of its file. */
export interface NewAccount extends Claim {
  /** Fills the new file, in one transaction. */
  fill(store: UserStore): void
}
