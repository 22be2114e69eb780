/** `cmc.readOffer`: reads an offer of another account, before it is accepted. (docs/spec/consent.md#reading-an-offer) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { PeerUnavailable, refuse, refusePeerUnavailable, TriggerFailed } from '../../cmc/failures.js'

/** Returns the offer and who makes it: its server has confirmed that account. Nothing is stored. */
export const readOffer = method({
  id: 'cmc.readOffer',
  summary: 'Read an offer of another account',
  params: Type.Object({ capabilityUrl: Type.String({ minLength: 1, maxLength: 2000 }) }, closed),
  result: Type.Object({
    offer: Type.Object({ id: Type.String(), content: Type.Record(Type.String(), Type.Unknown()) }),
    requester: Type.Object({ username: Type.String(), host: Type.String() })
  }),
  mode: 'read',
  allow: personalOnly,
  isRemoved: config => !config.cmc.enabled,
  async prepare({ account, services }, { capabilityUrl }) {
    try {
      return await services.readOffer(account, capabilityUrl)
    } catch (error) {
      if (error instanceof TriggerFailed)
        refuse(error.reason, 'The offer cannot be accepted', error.detail ? { detail: error.detail } : {})
      if (error instanceof PeerUnavailable) refusePeerUnavailable()
      throw error
    }
  },
  run: (_call, _params, { content, offerId, requester }) => ({ offer: { id: offerId, content }, requester })
})
