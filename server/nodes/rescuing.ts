/** What a node does for `coffer cluster rescue`, by the names of users. */
import type { ScannedEnd } from '../../cluster/scan-log.js'
import type { FoundCopy, Rescue } from '../../cluster/rescue.js'
import type { Accounts } from '../../storage/accounts.js'

export class Rescuing {
  constructor(
    private readonly rescue: Pick<Rescue, 'inspect' | 'restore'>,
    private readonly accounts: Pick<Accounts, 'find'>
  ) {}

  /** Where the log of a user ends, and the copies that this node can have. Rejects if there is no such user. */
  async look(username: string): Promise<{ end: ScannedEnd; copies: FoundCopy[] }> {
    return await this.rescue.inspect(this.#idOf(username))
  }

  /** Makes a copy the user's file. Resolves with what has been done. Rejects with what is against it. */
  async take(username: string, place: string, isLossAccepted: boolean): Promise<string> {
    const { lsn } = await this.rescue.restore(this.#idOf(username), place, isLossAccepted)
    return `${username} continues from commit ${lsn} of the copy "${place}"`
  }

  #idOf(username: string): string {
    const account = this.accounts.find(username)
    if (!account) throw new Error(`Unknown user "${username}"`)
    return account.id
  }
}
