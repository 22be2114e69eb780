/** Work on series that follows a call within seconds: holders get duration, author and time of the last write (docs/spec/series.md#holder-events), chunks summaries. */
import type { OutdatedHolder } from '../../storage/repositories/series.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { Changes } from '../changes.js'
import { AccountScan } from '../account/account-scan.js'
import { enqueueMessages, enqueueMessagesInSteps, TooManyToEvaluate } from '../notifications/webhook-queue.js'
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'

/** Holders in one transaction at most. */
const groupSize = 200
/** Writes of missing summaries at once, of some milliseconds each: holders have to wait for them. */
const summaryWrites = 32

/** Lets a holder show the last write to its series; answers its text. */
export function updateHolder(
  store: UserStore,
  { number, id, until, written, writer }: OutdatedHolder,
  changes: Changes
): string {
  const event = store.events.find(id)!
  // The last write has come to show; the holder itself has not been changed by anybody.
  const text = store.events.amend({
    ...event,
    duration: until,
    modified: store.stamp(written),
    modifiedBy: writer
  })
  store.series.markUpToDate(number)
  changes.add('events', event.streamIds)
  return text
}

/** Looks after the holders of all accounts whose files are open. */
export class HolderUpdater {
  readonly #scan: AccountScan
  #isClosing = false

  constructor(private readonly services: Services) {
    // Writes to one series within a second cost its event one update.
    this.#scan = new AccountScan(services, () => void this.catchUp(), 'series events could not be updated')
  }

  /** Brings holders up to date; with `all` also those in files that are held by a long write. Never rejects. */
  catchUp(all = false): Promise<void> {
    return this.#scan.run(
      (account, { series }) =>
        series.mayHaveOutdated || series.lacksSummaries ? this.#visit(account, series) : undefined,
      all
    )
  }

  async close(): Promise<void> {
    void this.#scan.stop()
    this.#isClosing = true
    await this.catchUp(true)
  }

  async #visit(account: Account, series: UserStore['series']): Promise<void> {
    if (series.mayHaveOutdated) await this.#updateHolders(account)
    if (series.lacksSummaries && !this.#isClosing) await this.#summarize(account)
  }

  async #updateHolders(account: Account): Promise<void> {
    const { accounts, bus, clock } = this.services
    for (;;) {
      const store = accounts.store(account)
      if (store.series.listOutdated(1).length === 0) return
      const changes = await writeHolders(store, clock.now())
      bus.publish(account.username, changes)
    }
  }

  /** Makes summaries of chunks that samples have had to read for want of them: the next ones need not. */
  async #summarize(account: Account): Promise<void> {
    for (let at = 0; at < summaryWrites && !this.#isClosing; at++) {
      const store = this.services.accounts.store(account)
      if (!store.series.lacksSummaries || store.isHeld) return
      await store.write(() => store.series.summarize())
    }
  }
}

async function writeHolders(store: UserStore, now: number): Promise<Changes> {
  try {
    return await store.write(() => {
      const changes = updateHolders(store)
      enqueueMessages({ changes, now, store })
      return changes
    })
  } catch (error) {
    if (!(error instanceof TooManyToEvaluate)) throw error
    return await store.writeInSteps(function* (draft) {
      const changes = updateHolders(draft)
      yield* enqueueMessagesInSteps({ changes, now, store: draft })
      return changes
    })
  }
}

function updateHolders(store: UserStore): Changes {
  const changes = new Changes(store.streams)
  for (const behind of store.series.listOutdated(groupSize)) updateHolder(store, behind, changes)
  return changes
}
