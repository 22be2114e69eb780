/** Tells the sign-in page which access an app already has. (docs/spec/accesses.md#check-app) */
import { isDeepStrictEqual } from 'node:util'
import { Type, type Static } from 'typebox'
import { Access } from '../../../schemas/access.js'
import { isStreamPermission, type Permission } from '../../../schemas/permission.js'
import { Identifier, KeyValue, maxNameLength, Name, orNull } from '../../../schemas/scalars.js'
import { toWireAccess } from '../../access-ids.js'
import { isSystemId } from '../../system-ids.js'
import { runInTurns } from '../../../storage/steps.js'
import { personalOnly } from '../../auth/allow.js'
import { waitForRequest, findRequest } from '../../accesses/auth-requests.js'
import { checkPermissions } from '../../accesses/check-permissions.js'
import { getClientAddress, Consent, compareConsent } from '../../accesses/consent.js'
import { fail } from '../../errors.js'
import {
  RequestedPermission,
  RequestedPermissions,
  type RequestedStreamPermission
} from '../../accesses/granting.js'
import { method, type Call } from '../../call/method.js'
import { findFhirStreams } from '../../exports/fhir-streams.js'
import { toCurrentId } from '../../account/older-ids.js'
import { recordOAuthAction } from '../../oauth/audit.js'
import { assertRequestedAccount } from '../../oauth/codes.js'
import { findAudiences, StreamAudience } from '../../accesses/stream-audience.js'
import { isExpired } from '../../permissions/access.js'
import { isRefreshable } from '../../permissions/offer-session.js'

/** Further properties are allowed: pages send everything that they will later pass on to create the access. */
const Params = Type.Object({
  requestingAppId: Type.String({ minLength: 6, maxLength: maxNameLength }),
  deviceName: orNull(Name),
  requestedPermissions: RequestedPermissions,
  clientData: orNull(KeyValue),
  /**
   * The key of the authorisation request, for which the result also has `consent` and `streams`. Not part of the
   * original API.
   */
  requestKey: orNull(Type.String({ maxLength: 100 }))
})

/**
 * Returns the matching access, or else what to ask the user for, and the access that would be replaced. An
 * expired access does not match unless its client can refresh it. With `requestKey`, also what the user needs
 * to know to consent; for requests of OAuth, this is recorded in the audit. Throws `invalid-operation` for a
 * key of another app.
 */
export const checkApp = method({
  id: 'accesses.checkApp',
  summary: 'Compare a request of an app with its existing accesses',
  params: Params,
  result: Type.Object({
    matchingAccess: Type.Optional(Access),
    mismatchingAccess: Type.Optional(Access),
    checkedPermissions: Type.Optional(Type.Array(RequestedPermission)),
    error: Type.Optional(Type.Object({ id: Identifier, message: Type.String() })),
    consent: Type.Optional(Consent),
    streams: Type.Optional(Type.Array(StreamAudience))
  }),
  mode: 'read',
  allow: personalOnly,
  async prepare(call, params) {
    if (typeof params.requestKey !== 'string') return { proposed: [], streams: [] }
    await waitForRequest(call.services, params.requestKey, call.now)
    const party = { account: call.account.id, access: call.caller.accessId }
    const known = findRequest(call.services, call.credentials, params.requestKey, call.now)
    const proposed = await runInTurns(findFhirStreams(call, known.request.oauth?.scopes ?? []), party)
    const shown = [...params.requestedPermissions, ...proposed]
    return {
      proposed,
      streams: await runInTurns(findAudiences(call, shown, findAppAccess(call, params)), party)
    }
  },
  run(call, params, { proposed, streams }) {
    const checked = checkPermissions(call, addProposed(params, proposed))
    const access = findAppAccess(call, params)
    const beside = presentRequest(call, params, access, streams)
    if (!access) return { ...checked, ...beside }
    const isMatch = isInUse(call, access) && matchesRequest(call, access, { ...params, proposed })
    const shown = toWireAccess(access)
    return isMatch
      ? { matchingAccess: shown, ...beside }
      : { ...checked, mismatchingAccess: shown, ...beside }
  }
})

/** Adds the permissions that the app did not ask for by stream, except on streams that it names. */
function addProposed(
  { requestedPermissions }: Static<typeof Params>,
  proposed: readonly RequestedStreamPermission[]
): RequestedPermission[] {
  const named = new Set(requestedPermissions.map(each => ('streamId' in each ? each.streamId : '')))
  return [...requestedPermissions, ...proposed.filter(({ streamId }) => !named.has(streamId))]
}

/** Returns the access that the app has on the device, also an expired one; `undefined` if there is none. */
function findAppAccess(
  { store }: Call,
  { deviceName, requestingAppId }: Static<typeof Params>
): Access | undefined {
  return store.accesses.findByName('app', requestingAppId, deviceName ?? undefined)
}

/** Returns whether an app can use an access: it has not expired, or its client can refresh it. */
function isInUse({ now, store }: Call, access: Access): boolean {
  return !isExpired(access, now) || isRefreshable(store, access, now)
}

/**
 * Returns what pages that name the request also get: where the access is delivered, and who else can see the
 * `streams`. Empty without a key. Throws `invalid-operation` for a request of another app, and refuses one
 * for another account. Records in the audit that an OAuth request was shown.
 */
function presentRequest(
  call: Call,
  { requestKey, requestingAppId }: Static<typeof Params>,
  access: Access | undefined,
  streams: readonly StreamAudience[]
): object {
  if (typeof requestKey !== 'string') return {}
  const { account, services, credentials, now, store } = call
  const known = findRequest(services, credentials, requestKey, now)
  if (known.request.requestingAppId !== requestingAppId)
    fail('invalid-operation', 'The request with this key belongs to another app')
  // This is checked before the user is asked, or a useful access is replaced.
  assertRequestedAccount(call.services, known.request, account)
  if (known.request.oauth) recordOAuthAction(call, 'oauth.consent.shown', call.caller.accessId)
  return {
    consent: compareConsent(store, access, known, getClientAddress(services.config, credentials)),
    streams
  }
}

/**
 * Returns whether an access is exactly what is requested: the same permissions in any order, and the same client data.
 * Permissions that the service may have added are ignored: that on shared secrets, and `none` on account streams. Of
 * those that it proposed, the user has chosen some.
 */
function matchesRequest(
  { services }: Call,
  access: Access,
  {
    clientData,
    proposed,
    requestedPermissions
  }: Static<typeof Params> & { readonly proposed: readonly RequestedStreamPermission[] }
): boolean {
  const asked = requestedPermissions.map(permission =>
    'streamId' in permission
      ? toKey({ ...permission, streamId: toCurrentId(services.config, permission.streamId) })
      : toKey(permission)
  )
  const proposedIds = new Set(proposed.map(({ streamId }) => streamId))
  const held = (access.permissions ?? []).flatMap(permission => {
    const key = toKey(permission)
    return (isAddable(permission) || isOmitted(permission)) && !asked.includes(key) ? [] : [key]
  })
  const choices = proposed.map(toKey).filter(key => !asked.includes(key))
  const chosen = held.filter(key => choices.includes(key))
  if (choices.length > 0 && chosen.length === 0) return false
  asked.push(...chosen)
  return (
    isDeepStrictEqual(held.toSorted(), asked.toSorted()) &&
    isDeepStrictEqual(access.clientData, clientData ?? undefined)
  )

  /** The user withholds a proposed stream below one that is granted. */
  function isOmitted(permission: Permission): boolean {
    return (
      isStreamPermission(permission) && permission.level === 'none' && proposedIds.has(permission.streamId)
    )
  }
}

/** Returns whether the service may have added a permission to those that were granted. */
function isAddable(permission: Permission): boolean {
  return isStreamPermission(permission)
    ? permission.level === 'none' && isSystemId(permission.streamId)
    : permission.feature === 'secretSharing' && permission.setting === 'forbidden'
}

function toKey(permission: Permission): string {
  return isStreamPermission(permission)
    ? `${permission.level} ${permission.streamId}`
    : `${permission.feature}=${permission.setting}`
}
