/** Sessions of OAuth clients whose offer the user has accepted. (docs/api/oauth.md#offers) */
import type { Access } from '../../schemas/access.js'
import type { Permission } from '../../schemas/permission.js'
import { revokeInSteps } from '../accesses/revoke-access.js'
import type { Call } from '../call/method.js'
import { writeStepsSeparately } from '../call/write-separately.js'
import { isCmcId } from '../cmc-ids.js'
import { createToken } from '../ids.js'
import { formatWireId } from '../access-ids.js'
import { offerKey, type OfferMark } from '../permissions/offer-session.js'
import type { Client } from './clients.js'
import type { OAuthKnownRequest } from './codes.js'
import { failOAuth } from './errors.js'
import { openSession } from './sessions.js'

/** What the user has accepted. */
interface Accepted {
  readonly known: OAuthKnownRequest
  readonly mark: OfferMark
}

/**
 * Opens the session whose token the client will get for its code, with the permissions that the requester has
 * got. Throws `access_denied` if that access has ended.
 */
export async function openOfferSession(
  call: Call,
  client: Client,
  { known, mark }: Accepted
): Promise<Access> {
  const { config } = call.services
  const lifetime = client.accessSeconds ?? config.oauth.accessSeconds
  return await writeStepsSeparately(call, function* (store, inCall) {
    const held = store.accesses.find(mark.accessId)
    if (!held) failOAuth('access_denied', 'The offer has been revoked')
    return yield* openSession(inCall, client, {
      clientData: { ...known.request.clientData, [offerKey]: { ...mark } },
      createdBy: formatWireId(call.caller.access!),
      expires: call.now + lifetime,
      permissions: (held.permissions ?? []).filter(isForApps),
      // As long as no client has exchanged the code, the token is unknown to all of them.
      token: createToken()
    })
  })
}

/** Ends a session for which no code was issued. Does nothing if it has ended. */
export async function endOfferSession(call: Call, id: string): Promise<void> {
  await writeStepsSeparately(call, function* (store, inCall) {
    const access = store.accesses.find(id)
    if (access) yield* revokeInSteps(inCall, access)
  })
}

/**
 * Returns whether the client gets a permission of the requester. Messages stay between the two accounts, and
 * every session can end itself.
 */
function isForApps(permission: Permission): boolean {
  return 'streamId' in permission ? !isCmcId(permission.streamId) : permission.feature !== 'selfRevoke'
}
