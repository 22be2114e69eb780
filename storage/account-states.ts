/** Accounts that may not be used here: moved, suspended, or closed until their deletion. */
import { AccountGone } from './errors.js'
import type { Account } from './platform/account.js'
import type { PlatformStore } from './platform/platform-store.js'

export abstract class AccountStates {
  constructor(protected readonly platform: PlatformStore) {}

  /** Closes an account's file once pending writes are on disk. */
  protected abstract closeFile(id: string): Promise<void>

  /** Finds an active account. Names are compared verbatim, so `username` has to be in lower case. */
  abstract find(username: string): Account | undefined

  /** Finds an account that is served here: active, or closed until its deletion. */
  findServed(username: string): Account | undefined {
    return this.find(username) ?? this.findClosing(username)
  }

  /** Finds an account that is closed until its deletion. Its owner may sign in to cancel the deletion. */
  findClosing(username: string): Account | undefined {
    const account = this.findActive(username)
    return account && account.deletion !== null ? account : undefined
  }

  /** Returns when a closed account will be deleted, in seconds; `undefined` if no deletion is scheduled. */
  getDeletionTime(username: string): number | undefined {
    return this.findClosing(username)?.deletion ?? undefined
  }

  /** Finds an account that can be used here: active, neither relocated nor suspended. */
  protected findActive(username: string): Account | undefined {
    const account = this.platform.find(username)
    return account?.state === 'active' && account.relocatedTo === null && account.suspended === null
      ? account
      : undefined
  }

  /** Returns the URL that an account has moved to. */
  getRelocationUrl(username: string): string | undefined {
    const account = this.platform.find(username)
    return (account?.state === 'active' && account.relocatedTo) || undefined
  }

  /**
   * Marks an account as moved to another server: {@link find} no longer returns it, calls in flight fail, and
   * `onUnavailable` is called. Its files are kept. Resolves once pending writes are on disk.
   */
  async relocate({ id }: Account, url: string, onUnavailable: () => void = () => {}): Promise<void> {
    await this.platform.change('relocate', id, url)
    onUnavailable()
    await this.closeFile(id)
  }

  /** Serves an account here again. */
  async undoRelocation({ id }: Account): Promise<void> {
    await this.platform.change('relocate', id, null)
  }

  /** Returns whether an operator has suspended the account with this name. */
  isSuspended(username: string): boolean {
    const account = this.platform.find(username)
    return account?.state === 'active' && account.suspended !== null
  }

  /**
   * Suspends an account as of `now` (seconds): it is no longer found, calls in flight fail, and `onUnavailable` is
   * called. Its files are kept. Resolves once pending writes are on disk.
   */
  async suspend({ id }: Account, now: number, onUnavailable: () => void = () => {}): Promise<void> {
    await this.platform.change('suspend', id, now)
    onUnavailable()
    await this.closeFile(id)
  }

  /** Lifts a suspension. */
  async resume({ id }: Account): Promise<void> {
    await this.platform.change('suspend', id, null)
  }

  /**
   * Closes an account until it is deleted at `time` (seconds): it is no longer found, calls in flight fail, and
   * `onUnavailable` is called. Its files are kept. Resolves with the time of deletion, once pending writes are on disk.
   */
  async closeUntilDeletion(
    account: Account,
    time: number,
    onUnavailable: () => void = () => {}
  ): Promise<number> {
    const deletion = await this.platform.change('scheduleDeletion', account.id, time)
    if (typeof deletion !== 'number') throw new AccountGone(account.username)
    onUnavailable()
    await this.closeFile(account.id)
    return deletion
  }

  /** Reopens an account that was scheduled for deletion. Throws `AccountGone` if the deletion has begun. */
  async cancelDeletion({ id, username }: Account): Promise<void> {
    if ((await this.platform.change('scheduleDeletion', id, null)) === undefined)
      throw new AccountGone(username)
  }

  /** Limits what an account may store, in bytes. 0: unlimited; `null`: the default from the settings. */
  async setStorageLimit({ id }: Account, bytes: number | null): Promise<void> {
    await this.platform.change('limit', id, bytes)
  }
}
