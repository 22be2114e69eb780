/** Lets holder events follow their series: duration, author and time of the last write, within seconds of it. (docs/spec/series.md#holder-events) */
import type { UserStore } from '../../storage/user/user-store.js'
import { Changes } from '../changes.js'
import { enqueue } from '../notifications/webhook-queue.js'
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'

/** How often holders are looked after: writes to one series within this time cost its event one update. */
const intervalMs = 1000
/** Holders in one transaction at most. */
const groupSize = 200

/** Looks after the holders of all accounts whose files are open. */
export class HolderFollower {
  readonly #timer: NodeJS.Timeout
  #running: Promise<void> = Promise.resolve()

  constructor(private readonly core: Services) {
    this.#timer = setInterval(() => void this.catchUp(), intervalMs)
    this.#timer.unref()
  }

  /** Brings all holders up to date. Never rejects. */
  catchUp(): Promise<void> {
    const { accounts, log } = this.core
    this.#running = this.#running.then(async () => {
      for (const { account, store } of accounts.listOpen()) {
        // Nobody waits for somebody else's long write; this comes back in a moment.
        if (!store.series.mayBeBehind || store.isHeld) continue
        try {
          await this.#follow(account)
        } catch (cause) {
          log.error('holders of series could not be updated', { accountId: account.id, cause })
        }
      }
    })
    return this.#running
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.catchUp()
  }

  async #follow(account: Account): Promise<void> {
    const { accounts, bus, clock } = this.core
    for (;;) {
      const store = accounts.store(account)
      if (store.series.listBehind(1).length === 0) return
      const changes = await store.write(() => updateHolders(store, clock.now()))
      bus.publish(account.username, changes)
    }
  }
}

function updateHolders(store: UserStore, now: number): Changes {
  const changes = new Changes(store.streams)
  for (const { number, id, until, written, writer } of store.series.listBehind(groupSize)) {
    const event = store.events.find(id)!
    // The last write has come to show; the holder itself has not been changed by anybody.
    store.events.amend({
      ...event,
      duration: until,
      modified: store.stamp(written),
      modifiedBy: writer
    })
    store.series.caughtUp(number)
    changes.add('events', event.streamIds)
  }
  enqueue({ changes, now, store })
  return changes
}
