/** What the logs of accounts have to know about each account, by what the platform and the shards of a node say. */
import type { ShippedLogsOptions } from '../../cluster/shipped-log-options.js'
import { fail } from '../../core/errors.js'
import type { PlatformStore } from '../../storage/platform/platform-store.js'
import type { Territory } from './territory.js'

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
  territory: Pick<Territory, 'holds' | 'shardOf'>,
  { isSound, logSubject }: ShardLogs
): Required<Pick<ShippedLogsOptions, 'isSound' | 'ownerOf' | 'serves' | 'subjectOf'>> {
  const usernameOf = (account: string): string | undefined => platform().findById(account)?.username
  return {
    ownerOf(account) {
      const found = platform().findById(account)
      return found && { username: found.username, created: found.created }
    },
    subjectOf(account) {
      return logSubject(territory.shardOf(usernameOf(account) ?? fail('unknown-resource')), account)
    },
    serves(account) {
      const username = usernameOf(account)
      return username !== undefined && territory.holds(username)
    },
    async isSound(account) {
      const username = usernameOf(account)
      return username === undefined || (await isSound(territory.shardOf(username)))
    }
  }
}
