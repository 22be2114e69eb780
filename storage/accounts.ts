/** Accounts from the first claim of a name to the last file removed, in steps that a restart resumes or undoes. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  fsyncSync,
  closeSync,
  rmSync,
  renameSync
} from 'node:fs'
import { dirname } from 'node:path'
import { StoreDamaged } from './errors.js'
import type { Layout } from './layout.js'
import { userMigrations } from './migrations/user/index.js'
import { openFile } from './open.js'
import type { Account, PlatformStore } from './platform-store.js'
import { StorePool } from './store-pool.js'
import { UserStore } from './user-store.js'
import { WalSync, type OnSyncFailure } from './wal-sync.js'

export interface AccountsOptions {
  readonly maxOpen: number
  readonly idleSeconds: number
  readonly cacheKiB: number
  readonly onSyncFailure: OnSyncFailure
  onTrouble(account: string, error: unknown): void
}

/** An account that is being made: what to claim, and what its file holds from the first. */
export interface NewAccount {
  readonly id: string
  readonly username: string
  /** Seconds. */
  readonly created: number
  /** Values that no other account may have, by field. */
  readonly unique: Readonly<Record<string, string>>
  /** Fills the new file, in one transaction. */
  fill(store: UserStore): void
}

export class Accounts {
  readonly #pool: StorePool
  /** Accounts by name, as far as they have been asked for and are open. */
  readonly #known = new Map<string, Account>()

  constructor(
    private readonly layout: Layout,
    private readonly platform: PlatformStore,
    private readonly options: AccountsOptions
  ) {
    this.#pool = new StorePool({ ...options, open: id => this.#openStore(id) })
    mkdirSync(layout.usersDirectory, { recursive: true })
    this.#makeTemplate()
    this.#finishWhatWasBegun()
  }

  /** An account that may be used. Names are compared as they are: lower case. */
  find(username: string): Account | undefined {
    const known = this.#known.get(username)
    if (known) return known
    const account = this.platform.find(username)
    if (account?.state !== 'active') return undefined
    if (this.#known.size >= 10_000) this.#known.clear()
    this.#known.set(username, account)
    return account
  }

  /** The open store of an account; good until the next `await`. Raises `StoreDamaged`, `StoreTooNew`. */
  store(account: Account): UserStore {
    return this.#pool.get(account.id)
  }

  /**
   * Makes an account: claims its name and unique fields, copies and fills its file, then lets it be used. Answers the
   * fields that are taken; empty means done and on disk.
   */
  async create(account: NewAccount): Promise<string[]> {
    const { id, username, created, unique } = account
    const taken = this.platform.claim({ id, username, created, state: 'creating' }, unique)
    if (taken.length > 0) return taken
    try {
      this.#makeFile(id)
      const store = this.#pool.get(id)
      await store.write(() => account.fill(store))
      this.platform.setState(id, 'active')
      return []
    } catch (error) {
      await this.#erase(id)
      throw error
    }
  }

  /** Deletes an account with all its files; its name is free afterwards. */
  async remove(account: Account): Promise<void> {
    this.platform.setState(account.id, 'deleting')
    this.#known.delete(account.username)
    await this.#erase(account.id)
  }

  /** Closes all files. */
  async close(): Promise<void> {
    await this.#pool.closeAll()
  }

  async #erase(id: string): Promise<void> {
    await this.#pool.close(id)
    this.#removeFiles(id)
  }

  #removeFiles(id: string): void {
    rmSync(this.layout.userDirectory(id), { recursive: true, force: true })
    this.platform.remove(id)
  }

  #finishWhatWasBegun(): void {
    // A name that was claimed but not acknowledged is given back; a deletion that was begun is ended.
    for (const { id } of this.platform.listUnfinished()) this.#removeFiles(id)
  }

  #openStore(id: string): UserStore {
    const file = this.layout.userFile(id)
    const { cacheKiB, onSyncFailure } = this.options
    const db = openFile(file, { migrations: userMigrations, synchronous: 'NORMAL', cacheKiB })
    return new UserStore(db, new WalSync(file, onSyncFailure))
  }

  /** A file with the schema of today and nothing else: copying it is many times quicker than making the schema. */
  #makeTemplate(): void {
    const file = this.layout.templateFile(userMigrations.length)
    if (existsSync(file)) return
    const draft = `${file}.new`
    rmSync(draft, { force: true })
    openFile(draft, { migrations: userMigrations, create: true, synchronous: 'FULL' }).close()
    renameSync(draft, file)
  }

  #makeFile(id: string): void {
    const file = this.layout.userFile(id)
    if (existsSync(file)) throw new StoreDamaged(file, 'exists already')
    const directory = dirname(file)
    mkdirSync(directory, { recursive: true })
    copyFileSync(this.layout.templateFile(userMigrations.length), file)
    for (const path of [file, directory, dirname(directory), this.layout.usersDirectory]) syncPath(path)
  }
}

/** Makes a file's bytes, or a folder's entries, durable. */
function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
