/** Hands accounts over to other processes that may serve them, where there are any. */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { listAccountsWithFiles } from '../files/account-folders.js'
import { removeFolder } from '../files/remove-folder.js'
import type { Layout } from '../files/layout.js'
import type { Account } from '../platform/account.js'
import type { PlatformStore } from '../platform/platform-store.js'
import type { DurabilityProvider } from '../wal/durability.js'
import type { StorePool } from './store-pool.js'

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

  /** Has `told` called whenever another process may serve an account now: what is remembered of it may not be true any more. */
  onRelease(listener: (account: Account) => void): void {
    this.#listeners.push(listener)
  }

  /**
   * Gives an account up for another process to serve, after its pending writes. No call may be made on it any more. Rejects
   * with `StoreUnavailable` if nobody can say that all of it is durable, and has given it up all the same.
   */
  async release({ id }: Pick<Account, 'id'>): Promise<void> {
    try {
      try {
        await this.pool.close(id)
      } finally {
        // Closing fails where the bookkeeping cannot be written any more, as on a machine that is cut off.
        await this.options.durability.release?.(id)
      }
    } finally {
      // A call that came too late may have opened it once more.
      await this.pool.discard(id)
      this.#notify(id)
    }
  }

  /** Gives up all accounts but those that are to be served here. */
  async releaseUnless(isKept: (account: Account) => boolean): Promise<void> {
    const all = new Set([...this.pool.accounts, ...(this.options.durability.listHeld?.() ?? [])])
    const released = Array.from(all).filter(id => {
      const account = this.platform.findById(id)
      // One that is being made has somebody who sees to it.
      return account?.state !== 'creating' && !(account && isKept(account))
    })
    await Promise.allSettled(released.map(async id => await this.release({ id })))
  }

  /** Removes what is here of an account that has been deleted, here or by another process. */
  async removeFiles(id: string): Promise<void> {
    await this.pool.discard(id)
    // It may come back by a backup, and be written by another process before it is served here again.
    await this.options.durability.release?.(id).catch(() => undefined)
    const { layout } = this
    const directory = layout.userDirectory(id)
    if (existsSync(directory)) await removeFolder(layout, directory, id)
    await rm(join(layout.asideDirectory, id), { recursive: true, force: true })
  }

  /**
   * Removes what is here of accounts that the platform file does not know: others have deleted them while this process was not
   * there. To be called when the file is certain to name all that there are: names are claimed before folders are made.
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
