/** Removes records of deletions whose retention has ended. (docs/spec/conventions.md#trash-and-deletion) */
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'
import { nextTurn } from '../../storage/steps.js'

/** Records of each kind removed in one commit, so that others can write in between. */
const pageSize = 100

/**
 * Removes the records of one account that are older than `deletions.retention`: those of events with their history, of
 * streams and of accesses. Returns how many. `isStopped` ends it after the current commit.
 */
export async function removeExpiredDeletions(
  services: Services,
  account: Account,
  isStopped: () => boolean = () => false
): Promise<number> {
  const { retention } = services.config.deletions
  if (retention === 0) return 0
  const before = services.clock.now() - retention
  let removed = 0
  while (!isStopped()) {
    const store = services.accounts.store(account)
    if (!store.read(() => store.deletions.hasBefore(before))) break
    removed += await store.commit(() => store.deletions.removeBefore(before, pageSize))
    await nextTurn({ account: account.id, access: '' })
  }
  return removed
}
