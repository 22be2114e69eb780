/** Deletes accounts with all their data: at once, or once their grace period has ended. (docs/spec/accounts.md#deleting-an-account) */
import { Changes } from '../changes.js'
import type { Credentials } from '../call/credentials.js'
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'

/**
 * Removes an account, and tells its peers. Every call on the account fails from now on, and its sockets are
 * closed; the account's name is free once this resolves.
 */
export async function removeAccount(
  services: Services,
  account: Account,
  via: Credentials['via'] = 'http'
): Promise<void> {
  await services.tellPeersOfEnd?.(account)
  await services.accounts.remove(account, () => {
    // Subscribers see that it is gone: sockets are closed, webhooks are not called.
    if (via !== 'socket.io') announceAccountChange(services, account)
  })
  services.throttle.forget(account.username)
  services.previews.forget(account)
  // A socket that made the call gets the response before it is closed.
  if (via === 'socket.io') announceAccountChange(services, account)
}

/**
 * Publishes, within the service, that an account itself has changed: sockets whose access has ended are
 * closed, cached data is dropped.
 */
export function announceAccountChange({ bus }: Pick<Services, 'bus'>, account: Account): void {
  const changes = new Changes({ find: () => undefined })
  changes.add('account')
  bus.publish(account, changes)
}

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
