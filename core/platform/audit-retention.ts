/** Removes the records of calls that have been kept for long enough. The chain of those left is verified from the last one removed on. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'

/** Records that one commit removes: others write in between. */
const pageSize = 500

/**
 * Removes the records of one account that are older than `audit.retention`; answers how many. `isStopped` ends it after
 * the commit it is at.
 */
export async function cleanAudit(
  core: Services,
  account: Account,
  isStopped: () => boolean = () => false
): Promise<number> {
  const { retention } = core.config.audit
  if (retention === 0) return 0
  const before = core.clock.now() - retention
  let removed = 0
  while (!isStopped()) {
    const store = core.accounts.store(account)
    if (!store.read(() => store.audit.hasBefore(before))) break
    removed += await store.commit(() => store.audit.removeBefore(before, pageSize))
    await nextTurn()
  }
  return removed
}
