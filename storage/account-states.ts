/** How accounts stand that may not be used here: moved, suspended, or closed until they are deleted. */
import { AccountGone } from './errors.js'
import type { Account } from './platform/account.js'
import type { PlatformStore } from './platform/platform-store.js'

export abstract class AccountStates {
  constructor(protected readonly platform: PlatformStore) {}

  /** Closes an account's file once pending writes are on disk. */
  protected abstract closeFile(id: string): Promise<void>

  /** Finds an active account. Names are compared verbatim: they are lower case. */
  abstract find(username: string): Account | undefined

  /** Finds an account that is served here: an active one, or one that is closed until it is deleted. */
  findServed(username: string): Account | undefined {
    return this.find(username) ?? this.findClosing(username)
  }

  /** Finds an account that is closed until it is deleted: for signing in, and for keeping it. */
  findClosing(username: string): Account | undefined {
    const account = this.findActive(username)
    return account && account.deletion !== null ? account : undefined
  }

  /** When a closed account will be deleted, in seconds; `undefined` if no deletion is scheduled. */
  getDeletionTime(username: string): number | undefined {
    return this.findClosing(username)?.deletion ?? undefined
  }

  protected findActive(username: string): Account | undefined {
    const account = this.platform.find(username)
    return account?.state === 'active' && account.relocatedTo === null && account.suspended === null
      ? account
      : undefined
  }

  /** The URL that an account has moved to. */
  getRelocationUrl(username: string): string | undefined {
    const account = this.platform.find(username)
    return (account?.state === 'active' && account.relocatedTo) || undefined
  }

  /**
   * Marks an account as moved to another server: it is no longer found, and calls in flight fail; `onGone` is called then.
   * Its files are kept. Resolves once pending writes are on disk.
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

  /** Whether an operator lets nobody use the account of this name. */
  isSuspended(username: string): boolean {
    const account = this.platform.find(username)
    return account?.state === 'active' && account.suspended !== null
  }

  /**
   * Suspends an account since `now` (seconds): it is no longer found, and calls in flight fail; `onGone` is called then. Its
   * files are kept. Resolves once pending writes are on disk.
   */
  async suspend({ id }: Account, now: number, onUnavailable: () => void = () => {}): Promise<void> {
    await this.platform.change('suspend', id, now)
    onUnavailable()
    await this.closeFile(id)
  }

  /** Lets the owner and others use a suspended account again. */
  async resume({ id }: Account): Promise<void> {
    await this.platform.change('suspend', id, null)
  }

  /**
   * Closes an account until it is deleted at `time` (seconds): it is no longer found, and calls in flight fail; `onGone` is
   * called then. Its files are kept. Returns when it will be deleted, once pending writes are on disk.
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

  /** Opens an account again that was to be deleted. Throws `AccountGone` if that has begun. */
  async cancelDeletion({ id, username }: Account): Promise<void> {
    if ((await this.platform.change('scheduleDeletion', id, null)) === undefined)
      throw new AccountGone(username)
  }

  /** Limits what an account may store, in bytes; 0: any number, `null`: as the settings say. */
  async setStorageLimit({ id }: Account, bytes: number | null): Promise<void> {
    await this.platform.change('limit', id, bytes)
  }
}
