/** What the calls of a batch have changed: told at its end, or on the way where it is much. */
import type { Account } from '../../storage/platform/account.js'
import type { Changes } from '../changes.js'
import type { Services } from '../call/services.js'

/** Ids of streams that are kept at most: an event may be in thousands, each of which lies below a hundred others. */
const most = 100_000

export class BatchChanges {
  #list: Changes[] = []
  #size = 0

  constructor(
    private readonly core: Pick<Services, 'accounts' | 'bus'>,
    private readonly account: Account
  ) {}

  /** Notes what a call has changed that has been committed. */
  async add(changes: Changes): Promise<void> {
    if (changes.isEmpty) return
    this.#list.push(changes)
    this.#size += changes.size
    if (this.#size > most) await this.publish()
  }

  /** Tells what has changed since the last time, once it is on disk. */
  async publish(): Promise<void> {
    const { accounts, bus } = this.core
    if (this.#list.length === 0) return
    const list = this.#list
    this.#list = []
    this.#size = 0
    await accounts.store(this.account).durable()
    for (const changes of list) bus.publish(this.account.username, changes)
  }
}
