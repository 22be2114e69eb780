/**
 * Removes deleted accounts once their grace period has ended, and completes failed removals.
 * (docs/spec/accounts.md#deleting-an-account)
 */
import type { Services } from '../call/services.js'

/**
 * Removes the accounts served here whose deletion is due, or whose removal has failed, and tells their peers.
 * Returns how many were removed; failures are logged, and tried again by the next call. `signal` ends the
 * work after the current account.
 */
export async function deleteDue(services: Services, signal?: AbortSignal): Promise<number> {
  const { accounts, clock, log, platform } = services
  let count = 0
  for (const account of platform.listDue(clock.now())) {
    if (signal?.aborted) break
    if (!accounts.owns(account)) continue
    try {
      await services.tellPeersOfEnd?.(account)
      if (!(await accounts.removeDue(account, clock.now()))) continue
      services.throttle.forget(account.username)
      services.previews.forget(account)
      count++
    } catch (cause) {
      // The next run retries.
      log.warn('an account scheduled for deletion could not be removed', {
        cause,
        accountId: account.id
      })
    }
  }
  return count
}
