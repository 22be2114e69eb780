/** Recovers accounts on a node: carries out `coffer cluster rescue`, and reopens accounts whose backups were restored. */
import type { Services } from '../../core/call/services.js'
import type { LiveNotifier } from '../../core/notifications/live-notifier.js'
import { announceAccountChange } from '../../core/platform/remove-account.js'
import type { Account } from '../../storage/platform/account.js'
import type { ScannedEnd } from '../../cluster/scan-log.js'
import type { FoundCopy, Rescue } from '../../cluster/rescue.js'
import type { Accounts } from '../../storage/accounts.js'

export class RestoredAccounts {
  /** `catchUp` resolves when this node has applied all changes to the platform file made before the call. */
  constructor(
    private readonly services: Pick<Services, 'accounts' | 'bus' | 'platform' | 'previews'>,
    private readonly feed: Pick<LiveNotifier, 'notifyAll'>,
    private readonly catchUp: () => Promise<void>
  ) {}

  /**
   * Closes an account, whether or not this node can still write to its log, and returns the account. Rejects if the
   * user is unknown.
   */
  async release(username: string): Promise<Account> {
    await this.catchUp()
    const { accounts, platform } = this.services
    const account = platform.find(username)
    if (!account) throw new Error(`Unknown user "${username}"`)
    // Unconfirmed commits are discarded, because another file has replaced the account.
    await accounts.handover.release(account).catch(() => undefined)
    return account
  }

  /**
   * Closes an account, opens the restored file, and notifies subscribers that everything may have changed. An
   * account that is suspended or has moved is only closed. Rejects if the user is unknown.
   */
  async reopen(username: string): Promise<void> {
    const account = await this.release(username)
    const { accounts, previews } = this.services
    previews.forget(account)
    // A suspended account, or one that has moved, is not opened here.
    if (!accounts.find(username)) return
    await accounts.waitUntilReady(account)
    announceAccountChange(this.services, account)
    // Listing its streams would block the event loop: there may be a hundred thousand, a hundred levels deep.
    this.feed.notifyAll(account.id)
  }
}

export class AccountRescue {
  constructor(
    private readonly rescue: Pick<Rescue, 'inspect' | 'restore'>,
    private readonly accounts: Pick<Accounts, 'find'>
  ) {}

  /** Returns where the log of a user ends, and the copies that this node can use. Rejects if the user is unknown. */
  async inspect(username: string): Promise<{ end: ScannedEnd; copies: FoundCopy[] }> {
    return await this.rescue.inspect(this.#getAccountId(username))
  }

  /** Replaces the user's file by a copy. Resolves with a message about the result. Rejects with the reason if it cannot. */
  async restore(username: string, place: string, isLossAccepted: boolean): Promise<string> {
    const { lsn } = await this.rescue.restore(this.#getAccountId(username), place, isLossAccepted)
    return `${username} continues from commit ${lsn} of the copy "${place}"`
  }

  #getAccountId(username: string): string {
    const account = this.accounts.find(username)
    if (!account) throw new Error(`Unknown user "${username}"`)
    return account.id
  }
}
