/** Kinds of work that accounts have to do at certain times. */
import type { Account } from '../../storage/platform/account.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { ChangeKind } from '../changes.js'

/** Seconds after which work that failed is tried again, and accounts that could not be opened. */
export const retrySeconds = 30

/** One kind of work. */
export interface TimedTask {
  readonly name: string
  /** Further kinds of changes that may change the result of `findNext`: `timers` and `account` always may. */
  readonly kinds?: readonly ChangeKind[]
  /**
   * Returns when the work of an account is next due, in seconds; `undefined` if never. Called after changes of an account: it must not
   * query the file of an account without such work.
   */
  findNext(store: UserStore, account: Account): number | undefined
  /**
   * Does what is due now. If it rejects, that is logged. It is called again after {@link retrySeconds} if it has failed, or if something
   * is still due at the same time. Resolves with true if it has only started something, which goes on and which `findNext` passes over until
   * it ends: then other work may be due at the same time.
   */
  run(account: Account): Promise<boolean | void>
  /**
   * Returns whether work of an account is under way that `findNext` passes over, also after it was stopped unfinished. Until then the file
   * of the account says that it is due.
   */
  isBusy?(id: string): boolean
  /** Called after each call that has read data of an account. */
  onRead?(account: Pick<Account, 'id' | 'username'>): void
  /** Looks at once at what it would look at a moment later. */
  catchUp?(): void
}
