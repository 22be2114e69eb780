/** Caches active accounts, by each of their names. */
import type { Account } from './platform/account.js'

/** Maximum number of cached names. A full cache is cleared. */
const maxCached = 10_000

/** A cache of accounts that are served here. */
export class AccountCache {
  readonly #byName = new Map<string, Account>()

  /** Finds an account by a name under which it was added. */
  find(name: string): Account | undefined {
    return this.#byName.get(name)
  }

  /**
   * Adds an account, found by its name or a former one. Its current name is cached, too. Clears the cache
   * first if it is full.
   */
  add(name: string, account: Account): void {
    if (this.#byName.size >= maxCached) this.#byName.clear()
    this.#byName.set(account.username, account)
    this.#byName.set(name, account)
  }

  /** Removes the account with a name, with all its names. */
  remove(name: string): void {
    const known = this.#byName.get(name)
    if (known) this.removeById(known.id)
  }

  /** Removes an account, with all its names. */
  removeById(id: string): void {
    for (const [name, account] of this.#byName) if (account.id === id) this.#byName.delete(name)
  }

  /** Drops all accounts. */
  clear(): void {
    this.#byName.clear()
  }

  /** Yields each account once. */
  *list(): Generator<Account, void, undefined> {
    for (const [name, account] of this.#byName) if (name === account.username) yield account
  }
}
