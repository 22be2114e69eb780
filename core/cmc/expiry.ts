/** Tells peers that their access has expired. (docs/spec/consent.md#ends) */
import type { Call } from '../call/method.js'
import type { Services } from '../call/services.js'
import type { TimedTask } from '../timers/timed-task.js'
import { announceEnd, findRelationship } from './relationships.js'
import { updateMark, writeAsService } from './service-calls.js'

/** Returns the work of telling peers whose access has expired. */
export function createExpiryTask(services: Services): TimedTask {
  return {
    name: 'ends of consent',
    kinds: ['accesses'],
    findNext: ({ cmc, deliveryPause }) =>
      cmc.isUsed && deliveryPause.since === null ? cmc.getNextExpiry() : undefined,
    run: account => writeAsService(services, account, endExpired)
  }
}

/** Queues the messages to the peers whose access has expired. */
function endExpired(call: Call): void {
  const { now, store } = call
  for (const accessId of store.cmc.listExpired(now)) {
    const found = findRelationship(call, accessId)
    if (!found) continue
    announceEnd(call, found, { reason: 'expired' })
    updateMark(call, found.access, { expiryTold: true })
  }
}
