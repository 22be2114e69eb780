/** How the service grows: events are counted account by account, the rest is measured once a day. (docs/spec/administration.md#growth) */
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'

/** Seconds in which an account counts as new: the daily job has come by at least once in them. */
const newSeconds = 2 * 86_400

/** Counts the events that an account has got since it was counted before. */
export async function countEvents({ accounts, clock, platform }: Services, account: Account): Promise<void> {
  const now = clock.now()
  const store = accounts.store(account)
  const highest = store.read(() => store.events.highestNumber)
  if (platform.growth.getCounted(account.id) === highest) return
  await platform.change('countEvents', now, account.id, highest, account.created > now - newSeconds)
}
