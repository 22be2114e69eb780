/** Reads an offer of another account for a method. (docs/spec/consent.md#reading-an-offer) */
import type { Call } from '../call/method.js'
import type { PeerOffer } from '../call/services.js'
import { PeerUnavailable, refuse, refusePeerUnavailable, TriggerFailed } from './failures.js'

/** Returns the offer. Throws `invalid-operation` with the id of a reason. */
export async function readPeerOffer({ account, services }: Call, capabilityUrl: string): Promise<PeerOffer> {
  try {
    return await services.readOffer(account, capabilityUrl)
  } catch (error) {
    if (error instanceof TriggerFailed)
      refuse(error.reason, 'The offer cannot be accepted', error.detail ? { detail: error.detail } : {})
    if (error instanceof PeerUnavailable) refusePeerUnavailable()
    throw error
  }
}
