/** Tells peers that their access has expired. (docs/spec/consent.md#ends) */
import type { UserStore } from '../../storage/user/user-store.js'
import type { Call } from '../call/method.js'
import { announceEnd, findRelationship } from './relationships.js'
import { updateMark } from './service-calls.js'

/** Returns when the next access that a peer holds expires, in seconds, if the peer has not been told yet. */
export function findNextExpiry(store: UserStore): number | undefined {
  return store.cmc.getNextExpiry()
}

/** Queues the messages to the peers whose access has expired. */
export function endExpired(call: Call): void {
  const { now, store } = call
  for (const accessId of store.cmc.listExpired(now)) {
    const found = findRelationship(call, accessId)
    if (!found) continue
    announceEnd(call, found, { reason: 'expired' })
    updateMark(call, found.access, { expiryTold: true })
  }
}
