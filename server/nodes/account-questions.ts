/** What the logs of accounts have to know about each account, by what the platform and the shards of a node say. */
import type { ShippedLogsOptions } from '../../cluster/shipped-log-options.js'
import { fail } from '../../core/errors.js'
import type { PlatformStore } from '../../storage/platform/platform-store.js'
import type { ShardOwnership } from './shard-ownership.js'

/** What is known of the log of a shard. */
interface ShardLogs {
  /** Whether it is whole where it is read from. */
  readonly isSound: (shard: number) => Promise<boolean>
  /** The subject of an account in it. */
  readonly logSubject: (shard: number, account: string) => string
}

/** Answers by the id of an account. */
export function accountQuestions(
  platform: () => Pick<PlatformStore, 'findById'>,
  ownership: Pick<ShardOwnership, 'isHeld' | 'getShard'>,
  { isSound, logSubject }: ShardLogs
): Required<Pick<ShippedLogsOptions, 'isLogComplete' | 'findOwner' | 'isServedHere' | 'getSubject'>> {
  const usernameOf = (account: string): string | undefined => platform().findById(account)?.username
  return {
    findOwner(account) {
      const found = platform().findById(account)
      return found && { username: found.username, created: found.created }
    },
    getSubject(account) {
      return logSubject(ownership.getShard(usernameOf(account) ?? fail('unknown-resource')), account)
    },
    isServedHere(account) {
      const username = usernameOf(account)
      return username !== undefined && ownership.isHeld(username)
    },
    async isLogComplete(account) {
      const username = usernameOf(account)
      return username === undefined || (await isSound(ownership.getShard(username)))
    }
  }
}
