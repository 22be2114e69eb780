/** The life of an account, from claiming its name to removing its last file, in steps that a restart completes or undoes. */
import { mkdirSync } from 'node:fs'
import { AccountElsewhere, AccountGone, StoreNotReady, StoreUnavailable, translateError } from './errors.js'
import { syncPathNow } from './files/durable.js'
import type { Layout } from './files/layout.js'
import type { Command } from './platform/commands.js'
import type { PlatformStore } from './platform/platform-store.js'
import type { UsernameRefusal, UsernameRules } from './platform/usernames.js'
import { StorePool } from './user/store-pool.js'
import { Handover } from './user/handover.js'
import { recoverUnfinished } from './user/recovery.js'
import { UserFiles } from './user/user-files.js'
import type { UserStore } from './user/user-store.js'
import { AccountStates } from './account-states.js'
import type { AccountsOptions, NewAccount } from './accounts-options.js'
import { isFoundUnavailable, toUnavailableError, stateCommands, type Account } from './platform/account.js'

/** Maximum number of accounts that are remembered as unavailable. When there are more, all are forgotten. */
const maxUnavailable = 10_000

/** Creates, finds, opens and removes accounts. */
export class Accounts extends AccountStates {
  readonly #pool: StorePool
  readonly #files: UserFiles
  /** Accounts that calls here are creating or deleting. */
  readonly #busy = new Set<string>()
  /** Gives accounts up to other processes. */
  readonly handover: Handover

  constructor(
    layout: Layout,
    platform: PlatformStore,
    private readonly options: AccountsOptions
  ) {
    super(platform)
    this.#files = new UserFiles(layout, platform, options)
    this.#pool = new StorePool({
      ...options,
      assertReady(id) {
        const ready = options.durability.waitUntilReady(id)
        if (ready) throw new StoreNotReady(ready)
      },
      open: (id, leftLog) => this.#files.open(id, leftLog)
    })
    this.handover = new Handover(layout, platform, this.#pool, options)
    this.handover.onRelease(({ username }) => this.uncache(username))
    platform.onChange(command => this.#follow(command))
    if (options.isSecondary) return
    mkdirSync(layout.usersDirectory, { recursive: true })
    syncPathNow(layout.root)
    this.#files.makeTemplate()
    recoverUnfinished({
      layout,
      platform,
      files: this.#files,
      hasSharedFiles: options.durability.remove !== undefined,
      onError: (id, error) => options.onError(id, error)
    })
  }

  /**
   * Returns the open store of an account; valid until the next `await`. Throws `StoreDamaged`, `StoreTooNew`,
   * `AccountElsewhere`, `AccountGone`, `AccountMoved`, `StoreNotReady`, and unless the account was found
   * as one that is suspended or being deleted, `AccountSuspended` or `AccountClosing`.
   */
  openStore(account: Account): UserStore {
    if (!this.owns(account)) throw new AccountElsewhere(account.username)
    const unavailable = this.unavailable.get(account.id)
    // The new address of an account that has moved contains its name.
    if (unavailable && account.alias !== undefined) throw new AccountGone(account.alias)
    if (unavailable && !isFoundUnavailable(account, unavailable)) throw unavailable
    return this.#pool.get(account.id)
  }

  /**
   * Returns a promise that resolves once {@link openStore} can open the account's file; `undefined` if it can be opened
   * now. Rejects with `StoreUnavailable` if it cannot be opened here at present.
   */
  waitUntilReady({ id }: Pick<Account, 'id'>): Promise<void> | undefined {
    return this.#pool.peek(id) ? undefined : this.options.durability.waitUntilReady(id)
  }

  /**
   * Runs background work on an account, then closes its file unless it was open before. Throws what the work
   * throws, and `StoreUnavailable`.
   */
  async runInBackground(account: Account, work: () => Promise<void>): Promise<void> {
    const wasOpen = this.#pool.peek(account.id) !== undefined
    await this.waitUntilReady(account)
    try {
      await work()
    } finally {
      if (!wasOpen) await this.#pool.close(account.id)
    }
  }

  /** Returns when the file of an account, or its log, was last written here, in seconds; infinite if it is not here. */
  getLastWrite({ id }: Pick<Account, 'id'>): number {
    return this.#files.getLastWrite(id)
  }

  /** Returns the number of open files. */
  get openCount(): number {
    return this.#pool.size
  }

  /** Returns whether this thread may open the file of this account. */
  owns(account: Pick<Account, 'username' | 'formerUsernames'>): boolean {
    return this.options.owns?.(account) ?? true
  }

  /** Removes the account with a name from the cache. */
  uncache(name: string): void {
    this.cache.remove(name)
  }

  /**
   * Yields the cached accounts whose files are open, without keeping them open. The stores are valid until the next
   * `await`.
   */
  *listOpen(): Generator<{ account: Account; store: UserStore }, void, undefined> {
    for (const account of this.cache.list()) {
      const store = this.#pool.peek(account.id)
      if (store) yield { account, store }
    }
  }

  /**
   * Creates an account: claims its name and unique fields, copies the template, fills the file, then activates the
   * account. Returns what was already taken (see `PlatformStore.taken`); an empty list means that the account is on
   * disk. A failure undoes everything. Throws `AccountElsewhere`, with nothing claimed.
   */
  async create(account: NewAccount): Promise<string[]> {
    if (!this.owns(account)) throw new AccountElsewhere(account.username)
    const { created, id, invitationToken, unique, username } = account
    const claim = { id, username, created, unique, ...(invitationToken !== undefined && { invitationToken }) }
    this.#busy.add(id)
    try {
      const taken = await this.platform.change('claim', claim)
      if (taken.length === 0) await this.#complete(account)
      return taken
    } finally {
      this.#busy.delete(id)
    }
  }

  /**
   * Creates and fills the file of a claimed account, then activates the account. On failure, undoes
   * everything, including the claim, and throws the translated error.
   */
  async #complete(account: NewAccount): Promise<void> {
    try {
      await this.#files.create(account)
      await this.waitUntilReady(account)
      const store = this.#pool.get(account.id)
      await store.write(() => account.fill(store))
      if (!(await this.platform.change('activate', account.id)))
        throw new StoreUnavailable('The claim of the account was given up')
      // Another process may have taken over this account in the meantime, before it was among those to be released.
      if (!this.owns(account)) await this.handover.release(account).catch(() => undefined)
    } catch (error) {
      await this.#undoClaim(account.id)
      throw translateError(error)
    }
  }

  /**
   * Changes the name of an account, which keeps its former name as well. Resolves with the reason if the name cannot be
   * changed, otherwise with `undefined`.
   */
  async changeUsername(
    { id }: Account,
    ...change: readonly [username: string, now: number, rules: UsernameRules]
  ): Promise<UsernameRefusal | undefined> {
    const refusal = await this.platform.change('changeUsername', id, ...change)
    // The name has changed even if this copy of it cannot be written.
    if (!refusal) await this.#files.writeOwner(id).catch(error => this.options.onError(id, error))
    return refusal
  }

  /**
   * Deletes an account with all its files, and frees its name. The account is unreachable as soon as the platform file
   * records the deletion, which without a cluster is at once; `onUnavailable` is called then. After a crash the next
   * start completes the removal.
   */
  async remove({ id }: Account, onUnavailable: () => void = () => {}): Promise<void> {
    this.#busy.add(id)
    try {
      await this.platform.change('leave', id)
      onUnavailable()
      await this.#erase(id)
    } finally {
      this.#busy.delete(id)
    }
  }

  /**
   * Like {@link remove}, for an account that is due for deletion, or whose removal has failed. Returns `false` if the
   * deletion was cancelled in the meantime, or is in progress.
   */
  async removeDue({ id, state }: Account, now: number): Promise<boolean> {
    if (this.#busy.has(id)) return false
    this.#busy.add(id)
    try {
      if (state !== 'deleting' && !(await this.platform.change('leaveDue', id, now))) return false
      await this.#erase(id)
      return true
    } finally {
      this.#busy.delete(id)
    }
  }

  /**
   * Completes what the processes that served these accounts before left unfinished: reverts claims, completes
   * deletions. A failure is reported, and the next account follows.
   */
  async completeUnfinished(isAffected: (username: string) => boolean): Promise<void> {
    for (const { id, username } of this.platform.listUnfinished()) {
      if (this.#busy.has(id) || !isAffected(username)) continue
      try {
        // Makes calls that still work on the account fail.
        await this.platform.change('giveUp', id)
        // The claim may have been completed by another process, or since the list was made: then the account is in use.
        if (this.platform.findById(id)?.state === 'deleting') await this.#erase(id)
      } catch (error) {
        this.options.onError(id, error)
      }
    }
  }

  /** Closes all files. */
  async close(): Promise<void> {
    await this.#pool.closeAll()
    await this.options.durability.close()
  }

  protected async closeFile(id: string): Promise<void> {
    await this.#pool.close(id)
  }

  async #undoClaim(id: string): Promise<void> {
    try {
      await this.platform.change('giveUp', id)
      await this.#erase(id)
    } catch (error) {
      // The name stays claimed until the removal is completed like that of a deleted account, or by the next start.
      this.options.onError(id, error)
    }
  }

  /** Removes the files first and the row last: after a crash the row tells the next start to continue. */
  async #erase(id: string): Promise<void> {
    await this.#pool.discard(id)
    await this.options.durability.remove?.(id)
    await this.handover.removeFiles(id)
    // An upload may have been stored in the meantime. Without the folder of the account, no other one succeeds.
    await this.options.durability.remove?.(id)
    await this.platform.change('remove', id)
  }

  /** Applies a change of accounts by any process. `undefined`: any account may have changed. */
  #follow(command: Command | undefined): void {
    if (!command) {
      this.cache.clear()
      this.unavailable.clear()
    } else if (command[0] === 'remove') this.#removeDeleted(command[1])
    else if (stateCommands.has(command[0])) this.#updateCached(command[1] as string)
  }

  /** Removes the local files of an account that another process has deleted. */
  #removeDeleted(id: string): void {
    if (this.#busy.has(id) || this.platform.position() === undefined) return
    this.handover.removeFiles(id).catch((error: unknown) => this.options.onError(id, error))
  }

  #updateCached(id: string): void {
    const account = this.platform.findById(id)
    if (!account) return
    this.cache.removeById(id)
    const unavailable = toUnavailableError(account)
    if (!unavailable) this.unavailable.delete(id)
    else {
      if (this.unavailable.size >= maxUnavailable) this.unavailable.clear()
      this.unavailable.set(id, unavailable)
    }
  }
}
