/** Accounts that may not be used here: moved, suspended, or closed until their deletion. */
import { aliasPattern } from '../schemas/access.js'
import { AccountCache } from './account-cache.js'
import { AccountGone } from './errors.js'
import type { Account } from './platform/account.js'
import type { PlatformStore } from './platform/platform-store.js'

/** Finds accounts by name, and changes their state. */
export abstract class AccountStates {
  protected readonly cache = new AccountCache()
  /** Accounts that are being deleted, have moved or are suspended, each with the error that calls in flight on it fail with. */
  protected readonly unavailable = new Map<string, Error>()

  constructor(protected readonly platform: PlatformStore) {}

  /** Closes an account's file once pending writes are on disk. */
  protected abstract closeFile(id: string): Promise<void>

  /**
   * Finds an active account by its name, a former name, or the alias of an access, and caches it. Names are
   * compared verbatim, so they have to be in lower case. Returns `undefined` if the account is unknown, has
   * moved, is suspended, or is closed until its deletion.
   */
  find(name: string): Account | undefined {
    const known = this.cache.find(name)
    if (known) return known
    const found = this.findActive(name)
    if (!found) return aliasPattern.test(name) ? this.#findByAlias(name) : undefined
    if (found.deletion !== null) return undefined
    // The account may have been deleted or moved before, and restored from a backup since.
    this.unavailable.delete(found.id)
    const { username } = found
    const formerUsernames = this.platform.usernames.listFormer(found.id)
    const account = this.cache.find(username) ?? { ...found, formerUsernames }
    this.cache.add(name, account)
    return account
  }

  /** Returns the account as the holder of an access with this alias sees it: it has no other name. */
  #findByAlias(alias: string): Account | undefined {
    const found = this.platform.usernames.findByAlias(alias)
    const own = found && this.find(found.username)
    if (!own || own.id !== found.id) return undefined
    const { formerUsernames: _hidden, ...account } = own
    return { ...account, username: alias, alias }
  }

  /** Finds an active account by a name that its owner uses: not by the alias of an access, which reveals nothing. */
  findOwn(name: string): Account | undefined {
    const account = this.find(name)
    return account?.alias === undefined ? account : undefined
  }

  /**
   * Returns the name by which the account with a name or alias belongs to a shard: its first user name, even
   * after it was renamed.
   */
  getShardName(name: string): string {
    const { formerUsernames, username = name } = this.find(name) ?? {}
    return formerUsernames ? (formerUsernames[0] ?? username) : this.platform.usernames.getShardName(name)
  }

  /**
   * Returns an account as its owner sees it, by its user name. Returns the same object unless it was found by
   * an alias.
   */
  toOwn(account: Account): Account {
    return account.alias === undefined ? account : (this.platform.findById(account.id) ?? account)
  }

  /** Finds an account that is served here: active, or closed until its deletion. */
  findServed(username: string): Account | undefined {
    return this.find(username) ?? this.findClosing(username)
  }

  /**
   * Finds an account that is served here by its present name: since it was found, it may have been renamed, and it may
   * have been found by an alias. Returns `undefined` if it is no longer served. Called after every change: accounts in the
   * cache take no query.
   */
  findCurrent({ id, username }: Pick<Account, 'id' | 'username'>): Account | undefined {
    const known = this.cache.find(username)
    if (known?.id === id) return known
    const account = this.findServed(this.platform.findById(id)?.username ?? username)
    return account?.id === id ? account : undefined
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

  /**
   * Returns the URL that an account has moved to; `undefined` if it has not moved. By an alias the URL
   * contains the alias in place of the user name; `undefined` if it contains the user name in another form.
   */
  getRelocationUrl(name: string): string | undefined {
    const { usernames } = this.platform
    const byName = this.platform.find(name)
    const account = byName ?? (aliasPattern.test(name) ? usernames.findByAlias(name) : undefined)
    if (account?.state !== 'active' || account.relocatedTo === null) return undefined
    if (byName) return account.relocatedTo
    return replaceName(account.relocatedTo, [account.username, ...usernames.listFormer(account.id)], name)
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
   * Closes an account until it is deleted at `time` (seconds): it is no longer found, calls in flight fail,
   * and `onUnavailable` is called. Its files are kept. Resolves with the time of deletion, once pending
   * writes are on disk. Throws `AccountGone` if its deletion has begun.
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

/** Replaces a user name in a URL, as a part of its path or of its host; `undefined` if it stands elsewhere. */
function replaceName(url: string, names: readonly string[], alias: string): string | undefined {
  const replaced = url
    .split(/([./])/)
    .map(part => (names.includes(part.toLowerCase()) ? alias : part))
    .join('')
  return names.some(name => replaced.toLowerCase().includes(name)) ? undefined : replaced
}
