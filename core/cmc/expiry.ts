/** Tells peers that their access has expired. (docs/spec/consent.md#ends) */
import type { Call } from '../call/method.js'
import type { Services } from '../call/services.js'
import type { Steps } from '../../storage/steps.js'
import type { TimedTask } from '../timers/timed-task.js'
import { announceEnd, assertFewEnds, findRelationship } from './relationships.js'
import { updateMark, writeStepsAsService } from './service-calls.js'

/** Returns the work of telling peers whose access has expired. */
export function createExpiryTask(services: Services): TimedTask {
  return {
    name: 'ends of consent',
    kinds: ['accesses'],
    findNext: ({ cmc, deliveryPause }) =>
      cmc.isUsed && deliveryPause.since === null ? cmc.getNextExpiry() : undefined,
    run: account => writeStepsAsService(services, account, endExpired)
  }
}

/** Queues the messages to the peers whose access has expired. */
function* endExpired(call: Call): Steps<void> {
  const { now, store } = call
  const expired = store.cmc.listExpired(now)
  assertFewEnds(call, expired.length)
  for (const accessId of expired) {
    const found = findRelationship(call, accessId)
    if (!found) continue
    announceEnd(call, found, { reason: 'expired' })
    updateMark(call, found.access, { expiryTold: true })
    yield
  }
}
