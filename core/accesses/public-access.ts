/** Accesses as clients see them. (docs/spec/accesses.md#fields) */
import { Type, type Static } from 'typebox'
import { Access } from '../../schemas/access.js'
import { HeldByOAuth } from '../../schemas/oauth.js'
import { toWireAccess } from '../access-ids.js'
import { isRecentSignIn } from '../auth/recent-sign-in.js'
import { isOwnApp } from '../auth/trusted-apps.js'
import type { Call } from '../call/method.js'
import { apiEndpoint } from '../service-info.js'
import { isCreatedBy } from '../permissions/access.js'
import { getCapability, withoutPeerEndpoints } from '../permissions/peer-access.js'

/** An access with its token and API endpoint; sessions are without both for pages, and for most other sessions. */
export const PublicAccess = Type.Object({
  ...Access.properties,
  token: Type.Optional(Type.String()),
  apiEndpoint: Type.Optional(Type.String()),
  /** Set for accesses that came by OAuth. */
  oauth: Type.Optional(HeldByOAuth)
})
export type PublicAccess = Static<typeof PublicAccess>

/** What {@link toPublicAccess} needs to know. */
export type ViewContext = Pick<Call, 'account' | 'caller' | 'credentials' | 'now' | 'services' | 'store'>

/** Returns an access with its endpoint and its last use, under the id of its version. */
export function toPublicAccess(call: ViewContext, access: Access): PublicAccess {
  return toWireAccess(addEndpoint(call, addLastUse(call, access)))
}

/** Returns an access as its caller may see it: the endpoints of peers are for the user alone. */
export function limitToCaller<A extends Omit<Access, 'token'>>(
  { caller, credentials }: Pick<ViewContext, 'caller' | 'credentials'>,
  access: A
): A {
  return caller.isPersonal && !credentials.isAssistant ? access : withoutPeerEndpoints(access)
}

/**
 * Returns an access with its endpoint. A session does not see the token of another one, which may have been opened just
 * now and be accepted as proof of identity (docs/spec/mfa.md#proof), unless it is accepted itself and the other is not one
 * of the service's own pages. Pages do not even see their own: an injected script would steal it
 * (docs/spec/authentication.md#sessions-of-pages). The access of an offer has a token only for itself.
 */
export function addEndpoint(call: ViewContext, stored: Access): PublicAccess & Pick<Access, 'serial'> {
  const access = limitToCaller(call, stored)
  const { id, name, token, type } = access
  const isOthers = id !== call.caller.accessId
  if (type === 'personal') {
    const isHidden = isOthers && (isOwnApp(name) || !isRecentSignIn(call))
    if (call.credentials.isPage || isHidden) return omitToken(access)
  }
  // The link of an offer is in the request that asked for it, for those who may see it. (docs/spec/consent.md#offers)
  if (getCapability(access) && isOthers) return omitToken(access)
  const first = { id, token, apiEndpoint: getEndpoint(call, access) }
  // Copying the first members twice is cheaper than copying all others one by one.
  return Object.assign(first, access)
}

/** Returns the root of the account with the token of an access in it, by the name that its holder knows. */
export function getEndpoint(
  { account, services }: Pick<ViewContext, 'account' | 'services'>,
  access: Access
): string {
  return apiEndpoint(services.config, access.alias ?? account.username, access.token)
}

function omitToken({ token: _kept, ...rest }: Access): PublicAccess {
  return rest
}

/** Returns an access with its last use, which is stored separately. */
export function addLastUse({ store }: Pick<Call, 'store'>, access: Access): Access {
  const lastUsed = store.usage.getLastUsed(access.id)
  return lastUsed === undefined ? access : { ...access, lastUsed }
}

/**
 * Returns whether the caller manages an access that is not its own, and may delete it: personal accesses manage any
 * access, apps the accesses that they shared.
 */
export function mayManage({ caller }: Pick<Call, 'caller'>, access: Access): boolean {
  if (caller.isPersonal) return true
  return caller.access?.type === 'app' && access.type === 'shared' && isCreatedBy(access, caller.accessId)
}
