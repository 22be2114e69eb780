/** `oauth.acceptOffer`: the user accepts the offer of an OAuth client, which gets a code. (docs/api/oauth.md#offers) */
import { Type } from 'typebox'
import { closed, KeyValue, Timestamp } from '../../../schemas/scalars.js'
import { recordConsent } from '../../accesses/consent.js'
import { personalOnly } from '../../auth/allow.js'
import { digestToken } from '../../auth/token-digest.js'
import { method, type Call } from '../../call/method.js'
import { acceptForApp } from '../../cmc/app-acceptance.js'
import { readPeerOffer } from '../../cmc/offers.js'
import { fail } from '../../errors.js'
import { buildAnswerUrl } from '../../oauth/answer-url.js'
import { issueCode } from '../../oauth/codes.js'
import { endOfferSession, openOfferSession } from '../../oauth/offer-sessions.js'
import { assertShowable, findOfferRequest } from '../../oauth/offer-requests.js'

const Params = Type.Object(
  {
    state: Type.String({ minLength: 1, maxLength: 100 }),
    grantedPermissions: Type.Optional(Type.Array(KeyValue, { minItems: 1, maxItems: 100 })),
    accessName: Type.Optional(Type.String({ maxLength: 200 })),
    /** When the requester's access ends, in seconds. */
    expires: Type.Optional(Timestamp),
    features: Type.Optional(KeyValue),
    /** Ids of streams of the user by those that the offer names. */
    ownStreams: Type.Optional(Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 100 })))
  },
  closed
)

/**
 * Returns where the page sends the user. The requester gets an access as with every offer, and the client a
 * session of its own. Throws `forbidden` for assistants, `invalid-operation` if the request is answered
 * already.
 */
export const acceptOffer = method<typeof Params, { readonly redirectTo: string }>({
  id: 'oauth.acceptOffer',
  summary: 'Accept the offer that an OAuth client asks for',
  params: Params,
  result: Type.Object({ redirectTo: Type.String() }),
  mode: 'write',
  allow: personalOnly,
  isRemoved: config => !config.cmc.enabled,
  async prepare(call, { state, ...chosen }) {
    return { redirectTo: await acceptRequest(call, state, chosen) }
  },
  run: (_call, _params, redirect) => redirect
})

/**
 * Accepts the offer for an OAuth client. Returns the URL to which the browser goes, with the code. If a step fails,
 * the session that was opened for the client is ended.
 */
async function acceptRequest(
  call: Call,
  state: string,
  chosen: Readonly<Record<string, unknown>>
): Promise<string> {
  const { account, credentials, now, services } = call
  const { accounts, config, platform } = services
  if (credentials.isAssistant) fail('forbidden', 'Assistants cannot give or end consent')
  const { capabilityUrl, client, known, name } = await findOfferRequest(call, state)
  const offer = await readPeerOffer(call, capabilityUrl)
  assertShowable(offer)
  const accessId = await acceptForApp(call, offer, {
    request: state,
    app: client.id,
    capabilityUrl,
    chosen
  })
  const access = await openOfferSession(call, client, { known, mark: { name, accessId } })
  try {
    const code = await issueCode(call, accounts.openStore(account), known, { access, account })
    const decision = { status: 'ACCEPTED', accessId: access.id, tokenDigest: digestToken(access) } as const
    // Of two concurrent decisions only the first takes effect.
    if (!(await platform.change('decideOnAccess', state, decision, account.id, now)))
      fail('invalid-operation', 'This request has already been answered')
    await recordConsent(services, account, { access, credentials, known, notice: undefined, now })
    return buildAnswerUrl(config, known.request.oauth, { code })
  } catch (error) {
    await endOfferSession(call, access.id)
    throw error
  }
}
