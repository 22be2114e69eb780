/** Carries out `coffer cluster rescue` on a node, by user name. */
import type { ScannedEnd } from '../../cluster/scan-log.js'
import type { FoundCopy, Rescue } from '../../cluster/rescue.js'
import type { Accounts } from '../../storage/accounts.js'

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
