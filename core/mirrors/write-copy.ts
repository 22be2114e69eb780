/** Writes of copies: they count against the quota like what users write themselves. */
import { runSteps } from '../../storage/steps.js'
import type { Account } from '../../storage/platform/account.js'
import type { Call } from '../call/method.js'
import type { Services } from '../call/services.js'
import type { Changes } from '../changes.js'
import { createServiceCall } from '../cmc/service-calls.js'
import { beginWrite } from '../dispatch/run-write.js'

/**
 * Runs work of the service in one transaction, and publishes its changes once they are on disk. Rejects with
 * `user-intervention-required` if it would exceed the quota.
 */
export async function writeCopy<T>(
  services: Services,
  account: Account,
  work: (call: Call) => T
): Promise<T> {
  const store = services.accounts.store(account)
  let changes: Changes | undefined
  const result = await store.write(() => {
    const call = createServiceCall(services, account, store)
    changes = call.changes
    const finish = beginWrite({}, call)
    const value = work(call)
    runSteps(finish(true))
    return value
  })
  services.bus.publish(account, changes!)
  return result
}
