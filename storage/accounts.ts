/** Accounts from the first claim of a name to the last file removed, in steps that a restart resumes or undoes. */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AccountElsewhere, AccountGone, AccountMoved, StoreDamaged, translated } from './errors.js'
import { copyDurably, removeInParts, syncPath, syncPathNow } from './files/durable.js'
import type { Policies } from './repositories/policies.js'
import type { Layout } from './files/layout.js'
import { userMigrations } from './migrations/user/index.js'
import { createFile, logOf, openFile } from './sqlite/open.js'
import { writeOwner } from './platform/owner.js'
import type { PlatformStore } from './platform/platform-store.js'
import { putAllBack } from './files/replacing.js'
import { StorePool } from './user/store-pool.js'
import { UniqueIndex } from './platform/unique-index.js'
import { UserStore } from './user/user-store.js'
import { foundLog, WalSync, type OnSyncFailure } from './wal/sync.js'
import type { LeftLog } from './wal/left-log.js'
import type { Account, Claim } from './platform/account.js'

export interface AccountsOptions {
  /** Tells whose files may be opened here, where other threads have those of others open. */
  readonly owns?: (username: string) => boolean
  /** Somebody else looks after the directory itself: what an earlier run has left unfinished, and the template. */
  readonly isGuest?: boolean
  readonly maxOpen: number
  readonly idleSeconds: number
  /** Seconds that closing all files may take. */
  readonly closingSeconds: number
  readonly cacheKiB: number
  readonly keeping: Policies
  readonly onSyncFailure: OnSyncFailure
  onTrouble(account: string, error: unknown): void
}

/** An account that is being made: what it claims, and what its file holds from the first. */
export interface NewAccount extends Claim {
  /** Fills the new file, in one transaction. */
  fill(store: UserStore): void
}

/** Names remembered; beyond it all are looked up again. */
const remembered = 10_000

export class Accounts {
  readonly #pool: StorePool
  /** Active accounts by name, as far as they have been asked for. */
  readonly #known = new Map<string, Account>()
  /** Accounts that are being deleted or have moved, with what calls that are under way on them get to know. */
  readonly #away = new Map<string, Error>()

  constructor(
    private readonly layout: Layout,
    private readonly platform: PlatformStore,
    private readonly options: AccountsOptions
  ) {
    this.#pool = new StorePool({ ...options, open: (id, left) => this.#openStore(id, left) })
    if (options.isGuest) return
    mkdirSync(layout.usersDirectory, { recursive: true })
    syncPathNow(layout.root)
    this.#makeTemplate()
    this.#finishWhatWasBegun()
    this.#settleUnique()
  }

  /** An account that may be used. Names are compared as they are: lower case. */
  find(username: string): Account | undefined {
    const known = this.#known.get(username)
    if (known) return known
    const account = this.platform.find(username)
    if (account?.state !== 'active' || account.relocatedTo !== null) return undefined
    // It may have been deleted or moved once, and have been brought in again from a backup.
    this.#away.delete(account.id)
    if (this.#known.size >= remembered) this.#known.clear()
    this.#known.set(username, account)
    return account
  }

  /** The new place of an account that has moved. */
  relocatedTo(username: string): string | undefined {
    const account = this.platform.find(username)
    return (account?.state === 'active' && account.relocatedTo) || undefined
  }

  /**
   * Marks an account as living elsewhere: from now on it is not found, and calls under way fail. Its files stay as they
   * are. Resolves when what was being written is on disk.
   */
  async relocate({ id, username }: Account, url: string): Promise<void> {
    this.platform.relocate(id, url)
    this.#known.delete(username)
    this.#away.set(id, new AccountMoved(url))
    await this.#pool.close(id)
  }

  /** Serves an account here again. */
  bringBack({ id }: Account): void {
    this.platform.relocate(id, null)
    this.#away.delete(id)
  }

  /** The open store of an account; good until the next `await`. Raises `StoreDamaged`, `StoreTooNew`, `AccountGone`, `AccountMoved`. */
  store(account: Account): UserStore {
    if (!this.owns(account)) throw new AccountElsewhere(account.username)
    const away = this.#away.get(account.id)
    if (away) throw away
    return this.#pool.get(account.id)
  }

  /** Works on an account in the background: a file that only this has opened is closed again. */
  async visit(account: Account, work: () => Promise<void>): Promise<void> {
    const wasOpen = this.#pool.peek(account.id) !== undefined
    try {
      await work()
    } finally {
      if (!wasOpen) await this.#pool.close(account.id)
    }
  }

  /** Files that are open. */
  get openCount(): number {
    return this.#pool.size
  }

  /** Whether the file of this account may be opened here. */
  owns({ username }: Account): boolean {
    return this.options.owns?.(username) ?? true
  }

  /** Drops what is remembered of a name. */
  forget(username: string): void {
    this.#known.delete(username)
  }

  /** The accounts in use whose files are open at present, without keeping them so. The stores are good until the next `await`. */
  *listOpen(): Generator<{ account: Account; store: UserStore }, void, undefined> {
    for (const account of this.#known.values()) {
      const store = this.#pool.peek(account.id)
      if (store) yield { account, store }
    }
  }

  /**
   * Makes an account: claims its name and unique fields, copies and fills its file, then lets it be used. Answers what
   * was taken (see `PlatformStore.taken`); empty means done and on disk. What fails on the way is undone.
   */
  async create(account: NewAccount): Promise<string[]> {
    const taken = this.platform.claim(account)
    if (taken.length > 0) return taken
    try {
      await this.#makeFile(account)
      const store = this.#pool.get(account.id)
      await store.write(() => account.fill(store))
      this.platform.setState(account.id, 'active')
      return []
    } catch (error) {
      await this.#undo(account.id)
      throw translated(error)
    }
  }

  /**
   * Deletes an account with all its files; its name is free afterwards. From the moment that this is called nothing of it
   * can be reached; what a crash leaves of it goes at the next start.
   */
  async remove(account: Account): Promise<void> {
    const { id, username } = account
    this.platform.setState(id, 'deleting')
    this.#known.delete(username)
    if (this.#away.size >= remembered) this.#away.clear()
    this.#away.set(id, new AccountGone(username))
    await this.#erase(id)
  }

  /** Closes all files. */
  async close(): Promise<void> {
    await this.#pool.closeAll()
  }

  async #undo(id: string): Promise<void> {
    try {
      await this.#erase(id)
    } catch (error) {
      // The name stays claimed until the next start, which undoes the rest.
      this.options.onTrouble(id, error)
    }
  }

  /** Removes the files, and only then the row that remembers that they have to go. */
  async #erase(id: string): Promise<void> {
    await this.#pool.discard(id)
    const directory = this.layout.userDirectory(id)
    if (existsSync(directory)) await this.#clear(directory, id)
    this.platform.remove(id)
  }

  /** Moves a folder out of the way at once, so that calls under way cannot add to it, and then removes all that is in it. */
  async #clear(directory: string, id: string): Promise<void> {
    const leaving = join(this.layout.leavingDirectory, id)
    await mkdir(this.layout.leavingDirectory, { recursive: true })
    await rm(leaving, { recursive: true, force: true })
    await rename(directory, leaving)
    await syncPath(dirname(directory))
    await removeInParts(leaving)
    await syncPath(this.layout.leavingDirectory)
  }

  /** A name that was claimed but not acknowledged is given back; a deletion that was begun is ended. */
  #finishWhatWasBegun(): void {
    for (const id of putAllBack(this.layout)) this.#settle(id, 'replaceUnique')
    rmSync(this.layout.leavingDirectory, { recursive: true, force: true })
    syncPathNow(this.layout.root)
    for (const { id } of this.platform.listUnfinished()) {
      const directory = this.layout.userDirectory(id)
      rmSync(directory, { recursive: true, force: true })
      if (existsSync(dirname(directory))) syncPathNow(dirname(directory))
      this.platform.remove(id)
    }
    // A crash between the removal of a row and the end of the log leaves that log behind.
    this.platform.emptyLog()
  }

  /** After a crash in the middle of a change of unique values: what the account's file says is what happened. */
  #settleUnique(): void {
    for (const { id } of this.platform.listInDoubt()) this.#settle(id, 'settleUnique')
  }

  #settle(id: string, how: 'replaceUnique' | 'settleUnique'): void {
    try {
      // Closed again at once: another thread may be the one that serves the account.
      const store = this.#openStore(id)
      this.platform[how](id, store.fields.listUnique())
      store.close()
    } catch (error) {
      this.options.onTrouble(id, error)
    }
  }

  #openStore(id: string, left?: LeftLog): UserStore {
    const file = this.layout.userFile(id)
    const { cacheKiB, keeping, onSyncFailure } = this.options
    const wasThere = existsSync(logOf(file))
    const db = openFile(file, { migrations: userMigrations, synchronous: 'NORMAL', cacheKiB })
    const unique = new UniqueIndex(this.platform, id, error => this.options.onTrouble(id, error))
    const store = new UserStore(
      db,
      new WalSync(file, onSyncFailure, foundLog(file, wasThere, left)),
      keeping,
      unique
    )
    try {
      store.bringFieldsUpToDate(keeping.system, Date.now() / 1000)
    } catch (error) {
      // They are found where they are, too.
      this.options.onTrouble(id, error)
    }
    return store
  }

  /** A file with the schema of today and nothing else: copying it is many times quicker than making the schema. */
  #makeTemplate(): void {
    const file = this.layout.templateFile(userMigrations.length)
    if (!isSound(file)) createFile(file, userMigrations)
  }

  async #makeFile(account: Claim): Promise<void> {
    const file = this.layout.userFile(account.id)
    if (existsSync(file)) throw new StoreDamaged(file, 'exists already')
    await writeOwner(this.layout, account)
    const template = this.layout.templateFile(userMigrations.length)
    await copyDurably(template, file, this.layout.usersDirectory)
  }
}

/** Whether the template of an earlier run is still as it was left. */
function isSound(template: string): boolean {
  try {
    openFile(template, { migrations: userMigrations, synchronous: 'FULL' }).close()
    return true
  } catch {
    return false
  }
}
