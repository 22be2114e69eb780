/**
 * Indexes the texts of new events, once their account is idle or a call searches it
 * (docs/decisions/0018-search-in-texts.md).
 */
import type { Account } from '../../storage/platform/account.js'
import { AccountScan } from '../account/account-scan.js'
import type { Services } from '../call/services.js'
import { nextTurn } from '../../storage/steps.js'

/** Milliseconds for which the texts of one account are indexed at a time, before other accounts have their turn. */
const indexSliceMs = 100

/** Keeps the text indexes up to date for all accounts whose files are open. */
export class TextIndexer {
  readonly #scan: AccountScan
  #isClosing = false

  constructor(private readonly services: Services) {
    this.#scan = new AccountScan(
      services,
      () => void this.catchUp(),
      'the text of events could not be indexed'
    )
  }

  /**
   * Indexes texts that are due, for {@link indexSliceMs} per account; with `all`, every text without limit, also in
   * files that are held by a long write. Never rejects.
   */
  catchUp(all = false): Promise<void> {
    return this.#scan.run(
      (account, { events }) =>
        !this.#isClosing && (events.texts.isDue() || all)
          ? this.#index(account, all ? Infinity : indexSliceMs)
          : undefined,
      all
    )
  }

  /** Stops indexing. Resolves once no index is being written. */
  async close(): Promise<void> {
    this.#isClosing = true
    await this.#scan.stop()
  }

  /** Indexes texts in transactions of some milliseconds each, yielding in between. */
  async #index(account: Account, ms: number): Promise<void> {
    const until = performance.now() + ms
    do {
      const store = this.services.accounts.openStore(account)
      if ((store.isHeld && ms < Infinity) || !store.read(() => store.events.texts.hasPending())) return
      await store.commit(() => store.events.texts.indexPending())
      await nextTurn({ account: account.id, access: '' })
    } while (!this.#isClosing && performance.now() < until)
  }
}
