/** Updates an app access or a shared access; its token stays the same. (docs/spec/accesses.md#updating-an-access) */
import { isDeepStrictEqual } from 'node:util'
import { Type, type Static } from 'typebox'
import type { Access } from '../../../schemas/access.js'
import { isStreamPermission, type Permission } from '../../../schemas/permission.js'
import {
  closed,
  Identifier,
  KeyValue,
  Name,
  orNull,
  type KeyValue as Data
} from '../../../schemas/scalars.js'
import type { Steps } from '../../../storage/steps.js'
import { getBaseId } from '../../access-ids.js'
import {
  assertKeepsChildren,
  assertNotOutliving,
  assertWithinApp,
  findManagingApp
} from '../../accesses/chain-rules.js'
import {
  assertPermissionsFit,
  assertStreamsExist,
  RequestedPermissions,
  toStoredPermissions
} from '../../accesses/granting.js'
import { mayManage, PublicAccess, toPublicAccess } from '../../accesses/public-access.js'
import { applyChange, updateAccess, type AccessChange } from '../../accesses/update-access.js'
import { requireCurrentAccess } from '../../accesses/wire-id.js'
import { assertNoCmcData, isServiceKey } from '../../accesses/service-data.js'
import { notShared } from '../../auth/allow.js'
import { methodInSteps, type Call } from '../../call/method.js'
import { fail, quoteText } from '../../errors.js'
import { mergeLimitedClientData } from '../../validation/client-data.js'
import { refuseParams } from '../../validation/params.js'

const Update = Type.Object(
  {
    name: Type.Optional(Name),
    deviceName: orNull(Name),
    permissions: Type.Optional(RequestedPermissions),
    expireAfter: orNull(Type.Number({ minimum: 0 })),
    /** The same as `expireAfter: null`. */
    expires: Type.Optional(Type.Null()),
    clientData: orNull(KeyValue)
  },
  closed
)
type Update = Static<typeof Update>

/** Maximum permissions, and accesses that an app shared, that are compared without yielding. */
const maxPermissions = 500
const maxChildren = 100

/**
 * Updates an access, and returns it with the id of its new version, and its token. Personal accesses cannot
 * be updated, nor an access by itself: `forbidden`.
 */
export const update = methodInSteps({
  id: 'accesses.update',
  summary: 'Update an access',
  params: Type.Object({ id: Identifier, update: Update }, closed),
  result: Type.Object({ access: PublicAccess }),
  mode: 'write',
  allow: notShared,
  isRemoved: config => !config.accesses.updates,
  *run(call, { id, update: given }): Steps<{ access: PublicAccess }> {
    assertOneEnd(given)
    assertNoCmcData(given.clientData)
    const before = requireCurrentAccess(call, id)
    assertMayUpdate(call, before)
    assertMayRename(before, given)
    if (typeof given.deviceName === 'string' && before.type !== 'app') refuseParams([deviceNameViolation])
    const change = toChange(call, before, given)
    assertNameFree(call, before, change)
    yield
    const after = applyChange(call, before, change)
    yield* assertChainRules(call, { before, after, change })
    return { access: toPublicAccess(call, updateAccess(call, before, change)) }
  },
  isLong: ({ accesses }, { id, update: given }) =>
    (given.permissions?.length ?? 0) > maxPermissions ||
    (typeof id === 'string' && accesses.measureCreatedBy(getBaseId(id), maxChildren) > 1)
})

const deviceNameViolation = {
  code: 'OBJECT_ADDITIONAL_PROPERTIES',
  message: 'is for app accesses only',
  path: '#/update/deviceName',
  param: 'deviceName'
}

/** Throws `invalid-parameters-format` for an end that is set and removed at once. */
function assertOneEnd({ expireAfter, expires }: Update): void {
  if (expires !== null || typeof expireAfter !== 'number') return
  refuseParams([
    { code: 'INVALID', message: 'removes the end that expireAfter sets', path: '#/update/expires' }
  ])
}

/** Personal accesses may update any other kind, apps what they shared; nothing updates itself. */
function assertMayUpdate(call: Call, access: Access): void {
  if (access.type === 'personal') fail('forbidden', 'Personal accesses cannot be updated')
  if (!mayManage(call, access)) fail('forbidden')
}

/** Throws `forbidden` for a name of the accesses of OAuth clients, which only the service gives and keeps. */
function assertMayRename(before: Access, { name }: Update): void {
  if (name === undefined || name === before.name) return
  if ([name, before.name].some(each => each.startsWith('oauth:')))
    fail('forbidden', 'Names that begin with "oauth:" are those of OAuth clients')
}

/** Returns the change that the given properties make. Relative and removed expiries become a time or `null`. */
function toChange(call: Call, before: Access, given: Update): AccessChange {
  const { clientData, deviceName, expireAfter, name, permissions } = given
  const isEndless = given.expires === null || expireAfter === null
  return {
    ...(name !== undefined && { name }),
    ...(deviceName !== undefined && { deviceName }),
    ...(permissions && {
      permissions: checkPermissions(call, before, toStoredPermissions(call, permissions))
    }),
    ...(typeof expireAfter === 'number' && { expires: call.now + expireAfter }),
    ...(isEndless && { expires: null }),
    ...(clientData !== undefined && { clientData: mergeData(call, before.clientData, clientData) })
  }
}

/**
 * Checks how long the permissions are, and what an app may share: at least one stream, and only streams that exist, unless it shares
 * them already. The user may share any.
 */
function checkPermissions({ caller, store }: Call, before: Access, permissions: Permission[]): Permission[] {
  assertPermissionsFit(permissions, before)
  if (caller.isPersonal) return permissions
  if (!permissions.some(isStreamPermission)) fail('forbidden', 'At least one stream permission is required')
  const known = new Set(before.permissions?.map(each => isStreamPermission(each) && each.streamId))
  assertStreamsExist(
    store.streams,
    permissions.filter(each => isStreamPermission(each) && !known.has(each.streamId))
  )
  return permissions
}

/**
 * Returns the client data after a change: as everywhere key by key, except that the service's own keys stay. Throws
 * `forbidden` if one of them would change.
 */
function mergeData(call: Call, before: Data | undefined, change: Data | null): Data | null {
  const own = Object.entries(before ?? {}).filter(([key]) => isServiceKey(key))
  if (change === null) return own.length > 0 ? Object.fromEntries(own) : null
  for (const [key, value] of Object.entries(change))
    if (isServiceKey(key) && !isDeepStrictEqual(value ?? undefined, before?.[key]))
      fail('forbidden', `Only the service can change the client data ${quoteText(key)}`)
  return mergeLimitedClientData(call, before, change) ?? null
}

/** Throws `item-already-exists` if another access has the name, type and device. */
function assertNameFree({ store }: Call, { id, type, ...before }: Access, change: AccessChange): void {
  const { name = before.name, deviceName = before.deviceName } = change
  const other = store.accesses.findByName(type, name, deviceName ?? undefined)
  if (other && other.id !== id)
    fail('item-already-exists', `An access of type ${type} named "${name}" already exists`, {
      type,
      name,
      deviceName: deviceName ?? null
    })
}

/** The rules between an app and its shares apply to what the update changes: the permissions, or the end. */
function* assertChainRules(
  call: Call,
  {
    after,
    before,
    change
  }: { readonly before: Access; readonly after: Access; readonly change: AccessChange }
): Steps<void> {
  if (before.type === 'app') yield* assertKeepsChildren(call, before, after)
  const app = findManagingApp(call, before)
  if (!app) return
  // As requested, before the service adds what follows from the app.
  if (change.permissions) assertWithinApp(call, app, { ...after, permissions: [...change.permissions] })
  if (typeof change.expires === 'number') assertNotOutliving(app, after)
}
