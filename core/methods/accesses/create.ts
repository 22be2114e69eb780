/** Creates an app access or a shared access. (docs/spec/accesses.md#creating-an-access) */
import { Type, type Static } from 'typebox'
import { AccessType, type Access } from '../../../schemas/access.js'
import type { Permission } from '../../../schemas/permission.js'
import { closed, KeyValue, Name, orNull } from '../../../schemas/scalars.js'
import { assertNotOutliving, failOutliving, inheritSecretSharing } from '../../accesses/chain-rules.js'
import { assertNoServiceData } from '../../accesses/service-data.js'
import { mayManage, PublicAccess, toPublicAccess } from '../../accesses/public-access.js'
import { notShared } from '../../auth/allow.js'
import { oauthKey } from '../../auth/oauth-marks.js'
import type { Caller } from '../../permissions/caller.js'
import { fail } from '../../errors.js'
import {
  toStoredPermissions,
  assertMayGrant,
  assertNotPersonal,
  assertPermissionsFit,
  RequestedPermissions,
  type RequestedPermission
} from '../../accesses/granting.js'
import { createId, createToken, toSlug } from '../../ids.js'
import { claimAlias } from '../../accesses/aliases.js'
import { methodInSteps, type Call } from '../../call/method.js'
import { mergeLimitedClientData } from '../../validation/client-data.js'
import { acceptProtectedFields, trackingFields } from '../../validation/protected-fields.js'
import { provideStreams } from '../../accesses/provide-streams.js'
import type { Steps } from '../../../storage/steps.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import { hasMoreBelow } from '../../streams/tree.js'
import { revokeInSteps } from '../../accesses/revoke-access.js'
import { refuseParams } from '../../validation/params.js'
import { isExpired, listStreamIds } from '../../permissions/access.js'

const Params = Type.Object(
  {
    name: Name,
    permissions: RequestedPermissions,
    type: orNull(AccessType),
    token: orNull(Type.String({ minLength: 1, maxLength: 255 })),
    deviceName: orNull(Name),
    expireAfter: orNull(Type.Number({ minimum: 0 })),
    clientData: Type.Optional(KeyValue),
    randomAlias: orNull(Type.Boolean()),
    // Not `expires`, which must not be ignored: the access would never expire.
    ...acceptProtectedFields([...trackingFields, 'alias', 'apiEndpoint', 'integrity', 'lastUsed'])
  },
  closed
)
type Params = Static<typeof Params>

const deviceNameViolation = {
  code: 'OBJECT_ADDITIONAL_PROPERTIES',
  message: 'is for app accesses only',
  path: '#/deviceName',
  param: 'deviceName'
}

/**
 * Creates an access and returns it with its token. Streams of permissions are created, or restored from the
 * trash, if needed. Replaces an expired access of the same name.
 */
export const create = methodInSteps({
  id: 'accesses.create',
  summary: 'Create an access',
  params: Params,
  result: Type.Object({ access: PublicAccess }),
  mode: 'write',
  allow: {
    ...notShared,
    check(asking) {
      notShared.check?.(asking)
      assertNotPersonal((Object(asking.params) as { type?: unknown }).type)
    }
  },
  run: createAccess,
  isLong: (store, { permissions }) =>
    permissions.length > maxAtOnce || permissions.some(permission => mayRestoreMany(store, permission))
})

/** Maximum permissions, and streams restored from the trash, without yielding. */
const maxAtOnce = 500

/** Returns whether many streams may be restored from the trash together with the stream of a permission. */
function mayRestoreMany({ streams }: UserStore, permission: RequestedPermission): boolean {
  const node = 'streamId' in permission ? streams.find(permission.streamId) : undefined
  return node?.stream.trashed === true && hasMoreBelow(node, maxAtOnce)
}

/**
 * Creates an access after checking that the caller may grant it, and the streams that it names. Refuses permissions
 * that the caller lacks, and names or tokens that are taken.
 */
function* createAccess(call: Call, params: Params): Steps<{ access: PublicAccess }> {
  const { changes, store } = call
  const type = params.type ?? 'shared'
  if (typeof params.deviceName === 'string' && type !== 'app') refuseParams([deviceNameViolation])
  // The consent page passes on the mark of a client of OAuth. It counts only with the client's request.
  assertNoServiceData(params.clientData, call.caller.isPersonal ? oauthKey : undefined)
  const permissions = toStoredPermissions(call, params.permissions)
  assertPermissionsFit(permissions)
  yield
  assertMayGrant(call, type, permissions)
  yield
  const access = inheritSecretSharing(call, buildAccess(call, params, type, permissions))
  assertEndsInTime(call, access)
  yield* ensureNameAndTokenFree(call, access)
  yield* provideStreams(call, params.permissions)
  const kept = store.accesses.insert(access)
  yield
  changes.addAccess(access, listStreamIds(access))
  return { access: toPublicAccess(call, kept) }
}

/** Builds the access to store, with these permissions. Error: `invalid-parameters-format` for a token that is too short. */
function buildAccess(call: Call, params: Params, type: AccessType, permissions: Permission[]): Access {
  const { caller, now } = call
  const { clientData, deviceName, expireAfter, name, token } = params
  const data = mergeLimitedClientData(call, undefined, clientData)
  return {
    id: createId(),
    token: typeof token === 'string' ? resolveToken(caller, token) : createToken(),
    type,
    name,
    ...(hidesUsername(caller, params) && { alias: claimAlias(call, params) }),
    ...(typeof deviceName === 'string' && { deviceName }),
    permissions,
    ...(typeof expireAfter === 'number' && { expires: now + expireAfter }),
    ...(data && { clientData: data }),
    created: now,
    createdBy: caller.versionedSignature,
    modified: now,
    modifiedBy: caller.versionedSignature
  }
}

/**
 * Returns whether the access gets an alias. Its holder never learns the user name, and so neither do those to whom the
 * holder gives access in turn.
 */
function hidesUsername({ access }: Caller, { randomAlias }: Params): boolean {
  return randomAlias === true || access?.alias !== undefined
}

/** Minimum length of a token chosen by an app, so that it cannot be guessed. */
const minTokenLength = 16

/**
 * Returns the token chosen by a client, reduced to the characters of tokens. The account's owner may choose
 * any; for others, throws `invalid-parameters-format` for one that is too short.
 */
function resolveToken(caller: Caller, wanted: string): string {
  const token = toSlug(wanted, { isSecret: true })
  if (!caller.isPersonal && token.length < minTokenLength) refuseParams([shortTokenViolation])
  return token
}

const shortTokenViolation = {
  code: 'MIN_LENGTH',
  message: `A custom token must have at least ${minTokenLength} characters. Leave it out to generate one`,
  path: '#/token',
  param: 'token'
}

/**
 * Throws `invalid-operation` for a shared access that would last longer than the app's own access. Where
 * accesses can be updated, an access without an end is allowed: it can be used as long as the app's access.
 * (docs/spec/accesses.md#who-may-create-what)
 */
function assertEndsInTime({ caller, services }: Call, access: Access): void {
  const end = caller.access?.expires
  if (end !== undefined && access.expires === undefined && !services.config.accesses.updates)
    failOutliving(end, null)
  if (caller.access) assertNotOutliving(caller.access, access)
}

/**
 * Throws `item-already-exists` for a name or token in use. An expired access of the same name, which could
 * not be renewed, is replaced if the caller may delete it.
 */
function* ensureNameAndTokenFree(call: Call, { deviceName, name, token, type }: Access): Steps<void> {
  const { accesses } = call.store
  const existing = accesses.findByName(type, name, deviceName)
  if (existing && !(isExpired(existing, call.now) && mayManage(call, existing)))
    fail('item-already-exists', `An access of type ${type} named "${name}" already exists`, {
      type,
      name,
      deviceName: deviceName ?? null
    })
  if (existing) yield* revokeInSteps(call, existing)
  if (!accesses.findByToken(token)) return
  // The error reveals that a token exists: count it, so that tokens cannot be guessed this way.
  call.services.throttle.unknownToken(call.credentials.ip)
  fail('item-already-exists', 'An access with this token already exists', { token: '(hidden)' })
}
