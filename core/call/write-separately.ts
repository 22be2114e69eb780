/** Writes that stay even if the call that makes them is refused. */
import { writeSteps, type Steps } from '../../storage/steps.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { Changes } from '../changes.js'
import type { Call } from './method.js'

/**
 * Writes in a transaction of its own, which stays even if the call is refused, queues its messages for webhooks, and publishes its
 * changes. For `prepare` only: `run` is within a transaction already. It may exceed the quota.
 */
export async function writeSeparately<T>(call: Call, work: (store: UserStore, call: Call) => T): Promise<T> {
  // oxlint-disable-next-line require-yield -- the work is one step
  return await writeStepsSeparately(call, function* (store, inCall) {
    return work(store, inCall)
  })
}

/** Like {@link writeSeparately}, for work that may pause: at once, but in steps if it throws `NeedsSteps`. */
export async function writeStepsSeparately<T>(
  call: Call,
  work: (store: UserStore, call: Call) => Steps<T>
): Promise<T> {
  const { account, services } = call
  const { changes, result } = await writeSteps(services.accounts.openStore(account), function* (store) {
    const inCall: Call = { ...call, store, changes: new Changes(store.streams) }
    const done = { changes: inCall.changes, result: yield* work(store, inCall) }
    yield* services.enqueueMessages(inCall)
    return done
  })
  services.bus.publish(account, changes)
  return result
}
