/** Runs work every second on all accounts whose files are open. */
import type { Account } from '../../storage/platform/account.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Services } from '../call/services.js'

const intervalMs = 1000

/** Visits an account; returns `undefined` if there is nothing to do. */
type AccountVisitor = (account: Account, store: UserStore) => Promise<void> | undefined

/** Calls back every second, and visits the accounts whose files are open, one after the other. */
export class AccountScan {
  readonly #timer: NodeJS.Timeout
  #running: Promise<void> = Promise.resolve()

  /** `onInterval` is called every second; `failureMessage` is logged for accounts whose visit fails. */
  constructor(
    private readonly services: Services,
    onInterval: () => void,
    private readonly failureMessage: string
  ) {
    this.#timer = setInterval(onInterval, intervalMs)
    this.#timer.unref()
  }

  /**
   * Visits all accounts, once earlier scans have ended. Skips files that a long write or a checkpoint holds, unless
   * `waitForHeld`. Never rejects.
   */
  run(visit: AccountVisitor, waitForHeld = false): Promise<void> {
    const { accounts, log } = this.services
    this.#running = this.#running.then(async () => {
      for (const { account, store } of accounts.listOpen()) {
        // The next scan comes back to files that are held by a long write.
        if (store.isHeld && !waitForHeld) continue
        try {
          const work = visit(account, store)
          if (work) await work
        } catch (cause) {
          log.error(this.failureMessage, { accountId: account.id, cause })
        }
      }
    })
    return this.#running
  }

  /** Starts no more scans; resolves when the last scan has ended. */
  stop(): Promise<void> {
    clearInterval(this.#timer)
    return this.#running
  }
}
