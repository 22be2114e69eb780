/** Writes that stay even if the call that makes them is refused. */
import type { UserStore } from '../../storage/user/user-store.js'
import { Changes } from '../changes.js'
import type { Call } from './method.js'

/**
 * Writes in a transaction of its own, which stays even if the call is refused, and publishes its changes. For `prepare`
 * only: `run` is within a transaction already.
 */
export async function writeSeparately<T>(call: Call, work: (store: UserStore, call: Call) => T): Promise<T> {
  const { account, services } = call
  const store = services.accounts.openStore(account)
  const { changes, result } = await store.write(() => {
    const inCall: Call = { ...call, store, changes: new Changes(store.streams) }
    return { changes: inCall.changes, result: work(store, inCall) }
  })
  services.bus.publish(account, changes)
  return result
}
