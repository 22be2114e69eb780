/** Releases accounts to other processes that may serve them, if there are any. */
import { existsSync } from 'node:fs'
import { rm, readdir, mkdir, rename } from 'node:fs/promises'
import { join, dirname } from 'node:path'
import { type Layout, isAccountId } from '../files/layout.js'
import type { Account } from '../platform/account.js'
import type { PlatformStore } from '../platform/platform-store.js'
import type { DurabilityProvider } from '../wal/durability.js'
import type { StorePool } from './store-pool.js'
import { removeInParts, syncPath } from '../files/durable.js'

export class Handover {
  readonly #listeners: ((account: Account) => void)[] = []

  constructor(
    private readonly layout: Layout,
    private readonly platform: Pick<PlatformStore, 'findById' | 'accountStatuses'>,
    private readonly pool: StorePool,
    private readonly options: { readonly durability: DurabilityProvider }
  ) {
    options.durability.onLost?.(async id => {
      await pool.discard(id)
      this.#notify(id)
    })
  }

  /** Calls a listener whenever another process may serve an account from now on: cached data of it may be outdated. */
  onRelease(listener: (account: Account) => void): void {
    this.#listeners.push(listener)
  }

  /**
   * Releases an account for another process to serve, after its pending writes. It must no longer be used. Rejects
   * with `StoreUnavailable` if its durability cannot be confirmed; it has been released nevertheless.
   */
  async release({ id }: Pick<Account, 'id'>): Promise<void> {
    try {
      try {
        await this.pool.close(id)
      } finally {
        // Closing fails if the bookkeeping cannot be written, as on a machine that is disconnected.
        await this.options.durability.release?.(id)
      }
    } finally {
      // A late call may have opened it again.
      await this.pool.discard(id)
      this.#notify(id)
    }
  }

  /** Releases all accounts except those that are to be served here. */
  async releaseUnless(isKept: (account: Account) => boolean): Promise<void> {
    const all = new Set([...this.pool.accounts, ...(this.options.durability.listHeld?.() ?? [])])
    const released = Array.from(all).filter(id => {
      const account = this.platform.findById(id)
      // An account that is being created is handled by the call that creates it.
      return account?.state !== 'creating' && !(account && isKept(account))
    })
    await Promise.allSettled(released.map(async id => await this.release({ id })))
  }

  /** Removes the local files of an account that has been deleted, here or by another process. */
  async removeFiles(id: string): Promise<void> {
    await this.pool.discard(id)
    // A backup may restore it, and another process may write to it before it is served here again.
    await this.options.durability.release?.(id).catch(() => undefined)
    const { layout } = this
    const directory = layout.userDirectory(id)
    if (existsSync(directory)) await removeFolder(layout, directory, id)
    await rm(join(layout.asideDirectory, id), { recursive: true, force: true })
  }

  /**
   * Removes the local files of accounts that the platform file does not list: other nodes have deleted them while this
   * process was not running. Call it only once the file is certain to list all accounts: names are claimed before
   * folders are created.
   */
  async removeUnknown(): Promise<void> {
    for (const id of await listAccountsWithFiles(this.layout))
      if (!this.platform.findById(id)) await this.removeFiles(id)
  }

  #notify(id: string): void {
    const account = this.platform.accountStatuses.find(id)
    if (account) for (const listener of this.#listeners) listener(account)
  }
}

/** Returns the ids of accounts that have a folder, or files that were set aside, even if the platform file does not list them. */
async function listAccountsWithFiles({ asideDirectory, usersDirectory }: Layout): Promise<Set<string>> {
  const shards = await readNames(usersDirectory)
  const ids = new Set<string>()
  for (const folder of [...shards.map(shard => join(usersDirectory, shard)), asideDirectory])
    for (const name of await readNames(folder)) if (isAccountId(name)) ids.add(name)
  return ids
}

/** Returns the names in a folder; empty if it does not exist. */
async function readNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw error
  }
}

/** Moves the folder of an account away, so that calls in flight cannot add to it, and then removes its content. */
async function removeFolder(layout: Layout, directory: string, id: string): Promise<void> {
  const leaving = join(layout.leavingDirectory, id)
  await mkdir(layout.leavingDirectory, { recursive: true })
  await rm(leaving, { recursive: true, force: true })
  await rename(directory, leaving)
  await syncPath(dirname(directory))
  await removeInParts(leaving)
  await syncPath(layout.leavingDirectory)
}
