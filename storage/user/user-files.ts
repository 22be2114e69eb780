/** Creates and opens the files of accounts. */
import { existsSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import type { Database } from 'better-sqlite3'
import { StorageFull, StoreDamaged } from '../errors.js'
import { DiskReserve } from '../files/disk-reserve.js'
import { copyDurably } from '../files/durable.js'
import type { Layout } from '../files/layout.js'
import { userMigrations } from '../migrations/user/index.js'
import type { Claim } from '../platform/account.js'
import { findOwner, writeOwner } from '../platform/owner.js'
import type { PlatformStore } from '../platform/platform-store.js'
import { UniqueIndex } from '../platform/unique-index.js'
import type { Policies } from '../repositories/policies.js'
import { getLogPath, openFile, createFile } from '../sqlite/open.js'
import type { DurabilityProvider } from '../wal/durability.js'
import { OpenedFile } from '../wal/position.js'
import type { ClosedLog } from '../wal/closed-file.js'
import { detectLog } from '../wal/sync.js'
import { UserStore } from './user-store.js'
import type { Migration } from '../migrations/migrate.js'

export interface UserFilesOptions {
  readonly cacheKiB: number
  readonly policies: Policies
  /** How commits are made durable. */
  readonly durability: DurabilityProvider
  /** Called with failures that do not keep an account's file from being opened. */
  onError(account: string, error: unknown): void
}

export class UserFiles {
  constructor(
    private readonly layout: Layout,
    private readonly platform: PlatformStore,
    private readonly options: UserFilesOptions
  ) {}

  /** Creates the template of new files: copying it is many times faster than creating the schema. */
  makeTemplate(): void {
    makeTemplate(this.#template, userMigrations)
  }

  /**
   * Creates the file of a new account, and the file that names its owner. Throws `StoreDamaged` if the
   * account has a file already.
   */
  async create(account: Claim): Promise<void> {
    const file = this.layout.userFile(account.id)
    if (existsSync(file)) throw new StoreDamaged(file, 'already exists')
    await mkdir(this.layout.userDirectory(account.id), { recursive: true, mode: 0o700 })
    await writeOwner(this.layout, account)
    await copyDurably(this.#template, file, this.layout.usersDirectory)
  }

  /** Returns when a file or its log was last written or put there, in seconds; infinite if there is none. */
  getLastWrite(id: string): number {
    const file = this.layout.userFile(id)
    const [changed = Infinity, logChanged = 0] = [file, getLogPath(file)].map(
      path => statSync(path, { throwIfNoEntry: false })?.ctimeMs
    )
    return Math.max(changed, logChanged) / 1000
  }

  /** Writes the names of an account to its folder, from which the platform file can be rebuilt. */
  async writeOwner(id: string): Promise<void> {
    const owner = findOwner(this.platform, id)
    if (owner) await writeOwner(this.layout, { ...owner, id })
  }

  /**
   * Opens the file of an account. `closedLog`: the log that closing it left behind. Migrates account fields,
   * and settles unique values that an earlier process left in doubt; a failure of these is reported only.
   */
  open(id: string, closedLog?: ClosedLog): UserStore {
    const file = this.layout.userFile(id)
    const { cacheKiB, durability, policies } = this.options
    const wasThere = existsSync(getLogPath(file))
    const db = this.#openFile(file, cacheKiB)
    const unique = new UniqueIndex(this.platform, id, error => this.options.onError(id, error))
    const opened = durability.open(new OpenedFile(id, db), detectLog(file, wasThere, closedLog))
    const store = new UserStore(db, opened, policies, unique, { account: id, access: '' })
    try {
      store.migrateFields(policies.system, Date.now() / 1000)
      // Left by a process that had it open before, and did not settle them.
      if (unique.isInDoubt) unique.settle(unique.listDue(), store.fields.listUnique())
    } catch (error) {
      // The account works without: the older values can be read where they are.
      this.options.onError(id, error)
    }
    return store
  }

  /** Opens a file; on a full disk with the space that is kept in reserve. */
  #openFile(file: string, cacheKiB: number): Database {
    const options = { migrations: userMigrations, synchronous: 'NORMAL', cacheKiB } as const
    try {
      return openFile(file, options)
    } catch (error) {
      if (!(error instanceof StorageFull && new DiskReserve(this.layout).release())) throw error
      return openFile(file, options)
    }
  }

  get #template(): string {
    return this.layout.templateFile(userMigrations.length)
  }
}

/**
 * Creates the template of new files, an empty file with the current schema, unless the template of an earlier run can be
 * used.
 */
function makeTemplate(file: string, migrations: readonly Migration[]): void {
  if (!isUsable(file, migrations)) createFile(file, migrations)
}

function isUsable(file: string, migrations: readonly Migration[]): boolean {
  try {
    openFile(file, { migrations, synchronous: 'FULL' }).close()
    return true
  } catch (error) {
    // The file can neither be opened nor created.
    if (error instanceof StorageFull) throw error
    return false
  }
}
