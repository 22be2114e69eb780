/** Removes the records of deletions that have been kept for long enough. (docs/spec/conventions.md#trash-and-deletion) */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'

/** Records of each kind that one commit removes: others write in between. */
const pageSize = 100

/**
 * Removes the records of one account that are older than `deletions.retention`: those of events with their history, of
 * streams and of accesses. Answers how many. `isStopped` ends it after the commit it is at.
 */
export async function cleanDeletions(
  core: Services,
  account: Account,
  isStopped: () => boolean = () => false
): Promise<number> {
  const { retention } = core.config.deletions
  if (retention === 0) return 0
  const before = core.clock.now() - retention
  let removed = 0
  while (!isStopped()) {
    const store = core.accounts.store(account)
    if (!store.read(() => store.deletions.hasBefore(before))) break
    removed += await store.commit(() => store.deletions.removeBefore(before, pageSize))
    await nextTurn()
  }
  return removed
}
