/** Requests of OAuth clients that ask the user to accept an offer. (docs/api/oauth.md#offers) */
import type { PeerOffer } from '../call/services.js'
import type { Call } from '../call/method.js'
import { findRequest, waitForRequest } from '../accesses/auth-requests.js'
import { fail } from '../errors.js'
import { isObject } from '../validation/is-object.js'
import { assertRequestedAccount, isOAuthRequest, type OAuthKnownRequest } from './codes.js'
import { findClient, type Client } from './clients.js'

/** A request that waits for the user's decision. */
export interface OpenOfferRequest {
  readonly known: OAuthKnownRequest
  readonly client: Client
  /** The name of the offer. */
  readonly name: string
  readonly capabilityUrl: string
}

/** Maximum number of permissions of an offer, and length of its texts as JSON, in bytes. */
const maxPermissions = 100
const maxTextBytes = 8192

/**
 * Finds the request with a state that no one has decided yet. Throws `unknown-referenced-resource` if it is
 * unknown or expired, `forbidden` if the client asks for another account, `invalid-operation` if it has been
 * decided, asks for no offer, or the client has withdrawn its offer.
 */
export async function findOfferRequest(call: Call, state: string): Promise<OpenOfferRequest> {
  const { account, credentials, now, services } = call
  await waitForRequest(services, state, now)
  const known = findRequest(services, credentials, state, now)
  const name = known.request.oauth?.offer
  if (name === undefined || !isOAuthRequest(known))
    fail('invalid-operation', 'This request does not ask for an offer to be accepted')
  if (known.decision) fail('invalid-operation', 'This request has already been answered')
  assertRequestedAccount(services, known.request, account)
  const client = findClient(services, known.request.requestingAppId)
  const url = client?.offers?.[name]
  if (!client || url === undefined) fail('invalid-operation', 'The app no longer makes this offer')
  return { known, client, name, capabilityUrl: url }
}

/** Throws `invalid-operation` for an offer that is too long to be shown with all that it asks for. */
export function assertShowable({ content }: PeerOffer): void {
  const request = isObject(content['request']) ? content['request'] : {}
  const { consent, description, permissions, title } = request
  const isLong =
    (Array.isArray(permissions) && permissions.length > maxPermissions) ||
    Buffer.byteLength(JSON.stringify([title, description, consent])) > maxTextBytes
  if (isLong) fail('invalid-operation', 'The offer is too long', { id: 'cmc-capability-offer-too-large' })
}
