/** `cmc.readOffer`: reads an offer of another account, before it is accepted. (docs/spec/consent.md#reading-an-offer) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { readPeerOffer } from '../../cmc/offers.js'

/**
 * Asks the offer's server, and returns the offer and who makes it: its server has confirmed that account.
 * Nothing is stored.
 */
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
  prepare: async (call, { capabilityUrl }) => await readPeerOffer(call, capabilityUrl),
  run: (_call, _params, { content, offerId, requester }) => ({ offer: { id: offerId, content }, requester })
})
