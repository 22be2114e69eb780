/** Removes audit records whose retention has ended. The chain of the remaining ones is verified from the last removed one on. */
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'
import { nextTurn } from '../../storage/steps.js'

/** Records removed in one commit, so that others can write in between. */
const pageSize = 500

/**
 * Removes the records of one account that are older than `audit.retention`; returns how many. `isStopped` ends it after the current commit.
 */
export async function removeExpiredAudit(
  services: Services,
  account: Account,
  isStopped: () => boolean = () => false
): Promise<number> {
  const { retention } = services.config.audit
  if (retention === 0) return 0
  const before = services.clock.now() - retention
  let removed = 0
  while (!isStopped()) {
    const store = services.accounts.store(account)
    if (!store.read(() => store.audit.hasBefore(before))) break
    removed += await store.commit(() => store.audit.removeBefore(before, pageSize))
    await nextTurn({ account: account.id, access: '' })
  }
  return removed
}
