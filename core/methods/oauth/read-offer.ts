/** `oauth.readOffer`: reads the offer that an OAuth client asks the user to accept. (docs/api/oauth.md#offers) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { readPeerOffer } from '../../cmc/offers.js'
import { assertShowable, findOfferRequest } from '../../oauth/offer-requests.js'

/** Returns the offer, who makes it, and the app. The link of the offer stays here. */
export const readOffer = method({
  id: 'oauth.readOffer',
  summary: 'Read the offer that an OAuth client asks for',
  params: Type.Object({ state: Type.String({ minLength: 1, maxLength: 100 }) }, closed),
  result: Type.Object({
    offer: Type.Object({ id: Type.String(), content: Type.Record(Type.String(), Type.Unknown()) }),
    requester: Type.Object({ username: Type.String(), host: Type.String() }),
    client: Type.Object({ id: Type.String(), name: Type.Optional(Type.String()) }),
    /** Where the user returns to. */
    returnTo: Type.String()
  }),
  mode: 'read',
  allow: personalOnly,
  isRemoved: config => !config.cmc.enabled,
  async prepare(call, { state }) {
    const { capabilityUrl, client, known } = await findOfferRequest(call, state)
    const read = await readPeerOffer(call, capabilityUrl)
    assertShowable(read)
    const { content, offerId, requester } = read
    const { clientName, redirectUri } = known.request.oauth
    return {
      offer: { id: offerId, content },
      requester,
      client: { id: client.id, ...(clientName !== undefined && { name: clientName }) },
      returnTo: redirectUri
    }
  },
  run: (_call, _params, found) => found
})
