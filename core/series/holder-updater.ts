/**
 * Updates series within seconds after a call: holders get duration, author and time of the last write
 * (docs/spec/series.md#holder-events), chunks their summaries.
 */
import type { OutdatedHolder } from '../../storage/repositories/series.js'
import { writeSteps, type Steps } from '../../storage/steps.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { Changes } from '../changes.js'
import { AccountScan } from '../account/account-scan.js'
import { enqueueMessages } from '../notifications/webhook-queue.js'
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'

/** Maximum number of holders in one transaction. */
const groupSize = 200
/**
 * Maximum number of writes of missing summaries at a time, each taking some milliseconds: holders have to wait for
 * them.
 */
const summaryWrites = 32

/** Updates a holder after the last write to its series; returns its JSON. No earlier version is kept. */
export function updateHolder(
  store: UserStore,
  { number, id, until, written, writer }: OutdatedHolder,
  changes: Changes
): string {
  const event = store.events.find(id)!
  // Only the last write is shown; the holder itself was not changed by a client.
  const text = store.events.amend({
    ...event,
    duration: until,
    modified: store.stamp(written),
    modifiedBy: writer
  })
  store.series.markUpToDate(number)
  changes.addEvent(event)
  return text
}

/** Updates the holders of all accounts whose files are open. */
export class HolderUpdater {
  readonly #scan: AccountScan
  #isClosing = false

  constructor(private readonly services: Services) {
    // Writes to one series within a second cost its event one update.
    this.#scan = new AccountScan(services, () => void this.catchUp(), 'series events could not be updated')
  }

  /**
   * Updates holders; with `all` also holders in files that are held by a long write. Never rejects. Also
   * writes missing summaries of chunks.
   */
  catchUp(all = false): Promise<void> {
    return this.#scan.run(
      (account, { series }) =>
        series.mayHaveOutdated || series.lacksSummaries ? this.#visit(account, series) : undefined,
      all
    )
  }

  /** Ends the periodic updates. Resolves once all outdated holders have been updated. */
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
      const store = accounts.openStore(account)
      if (store.series.listOutdated(1).length === 0) return
      const changes = await writeSteps(store, draft => updateHolders(draft, clock.now()))
      bus.publish(account, changes)
    }
  }

  /** Writes the missing summaries of chunks that were sampled. */
  async #summarize(account: Account): Promise<void> {
    for (let at = 0; at < summaryWrites && !this.#isClosing; at++) {
      const store = this.services.accounts.openStore(account)
      if (!store.series.lacksSummaries || store.isHeld) return
      await store.write(() => store.series.summarize())
    }
  }
}

/** Updates some holders that are behind, and returns the changes. */
function* updateHolders(store: UserStore, now: number): Steps<Changes> {
  const changes = new Changes(store.streams)
  for (const behind of store.series.listOutdated(groupSize)) updateHolder(store, behind, changes)
  yield* enqueueMessages({ changes, now, store })
  return changes
}
