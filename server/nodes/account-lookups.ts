/** Lookups by account id that the logs of accounts need, answered from the platform file and the shards of this node. */
import type { ShippedLogsOptions } from '../../cluster/shipped-log-options.js'
import { fail } from '../../core/errors.js'
import { findOwner } from '../../storage/platform/owner.js'
import type { PlatformStore } from '../../storage/platform/platform-store.js'
import type { ShardOwnership } from './shard-ownership.js'

/** Properties of the log of a shard. */
interface ShardLogs {
  /** Returns whether the replica that is read from is complete. */
  readonly isLogComplete: (shard: number) => Promise<boolean>
  /** Returns the subject of an account's log in a shard. */
  readonly logSubject: (shard: number, account: string) => string
}

/** Returns the lookups. `getSubject` throws `unknown-resource` for an unknown account. */
export function createAccountLookups(
  platform: () => Pick<PlatformStore, 'findById' | 'usernames'>,
  ownership: Pick<ShardOwnership, 'isHeld' | 'getShard'>,
  { isLogComplete, logSubject }: ShardLogs
): Required<Pick<ShippedLogsOptions, 'isLogComplete' | 'findOwner' | 'isServedHere' | 'getSubject'>> {
  const findUsername = (account: string): string | undefined => platform().findById(account)?.username
  return {
    findOwner: account => findOwner(platform(), account),
    getSubject(account) {
      return logSubject(ownership.getShard(findUsername(account) ?? fail('unknown-resource')), account)
    },
    isServedHere(account) {
      const username = findUsername(account)
      return username !== undefined && ownership.isHeld(username)
    },
    async isLogComplete(account) {
      const username = findUsername(account)
      return username === undefined || (await isLogComplete(ownership.getShard(username)))
    }
  }
}
