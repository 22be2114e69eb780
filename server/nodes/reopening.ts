/** What a node does when an operator has restored the backup of an account that it serves. */
import type { Services } from '../../core/call/services.js'
import type { LiveNotifier } from '../../core/notifications/live-notifier.js'
import { announceAccountChange } from '../../core/platform/remove-account.js'
import type { Account } from '../../storage/platform/account.js'

export class Reopening {
  /** `caughtUp` resolves when this node knows all that the platform file of the cluster said when it was called. */
  constructor(
    private readonly services: Pick<Services, 'accounts' | 'bus' | 'platform' | 'previews'>,
    private readonly feed: Pick<LiveNotifier, 'notifyAll'>,
    private readonly caughtUp: () => Promise<void>
  ) {}

  /** Lets go of what this node holds of an account, whether or not it can still write to its log. Returns the account. */
  async letGo(username: string): Promise<Account> {
    await this.caughtUp()
    const { accounts, platform } = this.services
    const account = platform.find(username)
    if (!account) throw new Error(`Unknown user "${username}"`)
    // What could not be confirmed is given up all the same: another file has taken its place.
    await accounts.handover.release(account).catch(() => undefined)
    return account
  }

  /** The same, and opens what is there now: whoever listens hears that all of it may have changed. */
  async reopen(username: string): Promise<void> {
    const account = await this.letGo(username)
    const { accounts, previews } = this.services
    previews.forget(account)
    // Suspended ones, and those that have moved, are opened by nobody.
    if (!accounts.find(username)) return
    await accounts.waitUntilReady(account)
    announceAccountChange(this.services, account)
    // Naming each of its streams would hold everybody up: there may be a hundred thousand, a hundred levels deep.
    this.feed.notifyAll(username)
  }
}
