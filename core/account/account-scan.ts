/** Work that is done every second on all accounts whose files are open. */
import type { Account } from '../../storage/platform/account.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Services } from '../call/services.js'

const intervalMs = 1000

/** What is done for an account; nothing if there is nothing to do. */
export type AccountVisitor = (account: Account, store: UserStore) => Promise<void> | undefined

export class AccountScan {
  readonly #timer: NodeJS.Timeout
  #running: Promise<void> = Promise.resolve()

  /** `begin` is called every second; `trouble`: the log message for accounts whose visit fails. */
  constructor(
    private readonly services: Services,
    onInterval: () => void,
    private readonly failureMessage: string
  ) {
    this.#timer = setInterval(onInterval, intervalMs)
    this.#timer.unref()
  }

  /**
   * Visits all accounts, once the rounds before are over. Skips files that a long write or a checkpoint holds, unless
   * `waitsForAll`. Never rejects.
   */
  run(visit: AccountVisitor, waitForHeld = false): Promise<void> {
    const { accounts, log } = this.services
    this.#running = this.#running.then(async () => {
      for (const { account, store } of accounts.listOpen()) {
        // Nobody waits for somebody else's long write; this comes back in a moment.
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

  /** Begins no more rounds; resolves when the last one is over. */
  stop(): Promise<void> {
    clearInterval(this.#timer)
    return this.#running
  }
}
