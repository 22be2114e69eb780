/** Hands accounts over to other processes that may serve them, where there are any. */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { accountsWithFiles } from '../files/account-folders.js'
import { removeFolder } from '../files/leaving.js'
import type { Layout } from '../files/layout.js'
import type { Account } from '../platform/account.js'
import type { PlatformStore } from '../platform/platform-store.js'
import type { DurabilityProvider } from '../wal/durability.js'
import type { StorePool } from './store-pool.js'

export class Handover {
  readonly #told: ((account: Account) => void)[] = []

  constructor(
    private readonly layout: Layout,
    private readonly platform: Pick<PlatformStore, 'findById' | 'standings'>,
    private readonly pool: StorePool,
    private readonly options: { readonly durability: DurabilityProvider }
  ) {
    options.durability.whenLost?.(async id => {
      await pool.discard(id)
      this.#tell(id)
    })
  }

  /** Has `told` called whenever another process may serve an account now: what is remembered of it may not be true any more. */
  whenLetGo(told: (account: Account) => void): void {
    this.#told.push(told)
  }

  /**
   * Gives an account up for another process to serve, after its pending writes. No call may be made on it any more. Rejects
   * with `StoreUnavailable` if nobody can say that all of it is durable, and has given it up all the same.
   */
  async letGo({ id }: Pick<Account, 'id'>): Promise<void> {
    try {
      try {
        await this.pool.close(id)
      } finally {
        // Closing fails where the bookkeeping cannot be written any more, as on a machine that is cut off.
        await this.options.durability.letGo?.(id)
      }
    } finally {
      // A call that came too late may have opened it once more.
      await this.pool.discard(id)
      this.#tell(id)
    }
  }

  /** Gives up all accounts but those that are to be served here. */
  async letGoUnless(stays: (account: Account) => boolean): Promise<void> {
    const all = new Set([...this.pool.accounts, ...(this.options.durability.held?.() ?? [])])
    const going = Array.from(all).filter(id => {
      const account = this.platform.findById(id)
      // One that is being made has somebody who sees to it.
      return account?.state !== 'creating' && !(account && stays(account))
    })
    await Promise.allSettled(going.map(async id => await this.letGo({ id })))
  }

  /** Removes what is here of an account that has been deleted, here or by another process. */
  async clear(id: string): Promise<void> {
    await this.pool.discard(id)
    // It may come back by a backup, and be written by another process before it is served here again.
    await this.options.durability.letGo?.(id).catch(() => undefined)
    const { layout } = this
    const directory = layout.userDirectory(id)
    if (existsSync(directory)) await removeFolder(layout, directory, id)
    await rm(join(layout.asideDirectory, id), { recursive: true, force: true })
  }

  /**
   * Removes what is here of accounts that the platform file does not know: others have deleted them while this process was not
   * there. To be called when the file is certain to name all that there are: names are claimed before folders are made.
   */
  async clearUnknown(): Promise<void> {
    for (const id of await accountsWithFiles(this.layout))
      if (!this.platform.findById(id)) await this.clear(id)
  }

  #tell(id: string): void {
    const account = this.platform.standings.find(id)
    if (account) for (const told of this.#told) told(account)
  }
}
