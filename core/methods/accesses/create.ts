/** Creates an app access or a shared one. (docs/spec/accesses.md#creating-an-access) */
import { Type, type Static } from 'typebox'
import { AccessType, type Access } from '../../../schemas/access.js'
import type { Permission } from '../../../schemas/permission.js'
import { closed, KeyValue, orNull } from '../../../schemas/scalars.js'
import { mayDelete, PublicAccess, publicAccess } from '../../accesses/view.js'
import { notShared } from '../../auth/allow.js'
import type { Caller } from '../../permissions/caller.js'
import { fail } from '../../errors.js'
import { grantable, mustMayGrant, mustNotBePersonal, RequestedPermissions } from '../../accesses/granting.js'
import { newId, newToken, toSlug } from '../../ids.js'
import { method, type Call } from '../../call/method.js'
import { protectedFields, trackingFields } from '../../validation/protected-fields.js'
import { provideStreams } from '../../accesses/provide-streams.js'
import { revoke } from '../../accesses/revoke.js'
import { refuseParams } from '../../validation/params.js'
import { isExpired, streamsOf } from '../../permissions/access.js'

const Params = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    permissions: RequestedPermissions,
    type: orNull(AccessType),
    token: orNull(Type.String({ minLength: 1, maxLength: 255 })),
    deviceName: orNull(Type.String({ minLength: 1 })),
    expireAfter: orNull(Type.Number({ minimum: 0 })),
    clientData: Type.Optional(KeyValue),
    // Not `expires`: without it the access would go on for ever.
    ...protectedFields([...trackingFields, 'apiEndpoint', 'integrity', 'lastUsed'])
  },
  closed
)
type Params = Static<typeof Params>

const noDeviceName = {
  code: 'OBJECT_ADDITIONAL_PROPERTIES',
  message: 'is for app accesses only',
  path: '#/deviceName',
  param: 'deviceName'
}

/** The access, with its token. */
export const create = method({
  id: 'accesses.create',
  summary: 'Grant an access',
  params: Params,
  result: Type.Object({ access: PublicAccess }),
  mode: 'write',
  allow: {
    ...notShared,
    check(asking) {
      notShared.check?.(asking)
      mustNotBePersonal((Object(asking.params) as { type?: unknown }).type)
    }
  },
  run(call, params) {
    const { changes, store } = call
    const type = params.type ?? 'shared'
    if (typeof params.deviceName === 'string' && type !== 'app') refuseParams([noDeviceName])
    const permissions = grantable(call, params.permissions)
    mustMayGrant(call, type, permissions)
    const access = accessOf(call, params, type, permissions)
    mustNotOutlive(call, access)
    mustBeFree(call, access)
    provideStreams(call, params.permissions)
    const kept = store.accesses.insert(access)
    changes.add('accesses', streamsOf(access), access.id)
    return { access: publicAccess(call, kept) }
  }
})

function accessOf(
  { caller, now }: Call,
  params: Params,
  type: AccessType,
  permissions: Permission[]
): Access {
  const { clientData, deviceName, expireAfter, name, token } = params
  return {
    id: newId(),
    token: typeof token === 'string' ? ownToken(caller, token) : newToken(),
    type,
    name,
    ...(typeof deviceName === 'string' && { deviceName }),
    permissions,
    ...(typeof expireAfter === 'number' && { expires: now + expireAfter }),
    ...(clientData && { clientData }),
    created: now,
    createdBy: caller.signature,
    modified: now,
    modifiedBy: caller.signature
  }
}

/** Characters of a token that an app chooses at least: it must not be one that somebody else comes upon, either. */
const shortestToken = 16

/** The token that a client's wish leads to. The owner may choose whatever is not taken. */
function ownToken(caller: Caller, wanted: string): string {
  const token = toSlug(wanted, true)
  if (!caller.isPersonal && token.length < shortestToken) refuseParams([shortToken])
  return token
}

const shortToken = {
  code: 'MIN_LENGTH',
  message: `A token of the app's own choice has ${shortestToken} characters at least; leave it out to get one`,
  path: '#/token',
  param: 'token'
}

/** What an app shares ends with the app's own access at the latest. (docs/spec/accesses.md#who-may-create-what) */
function mustNotOutlive({ caller }: Call, { expires }: Access): void {
  const end = caller.access?.expires
  if (end !== undefined && (expires === undefined || expires > end))
    fail('invalid-operation', 'The access would outlive the one that creates it', { expires: end })
}

/**
 * Raises `item-already-exists` for a name or token in use. An expired namesake makes way, since it could not be renewed: to
 * those who could delete it.
 */
function mustBeFree(call: Call, { deviceName, name, token, type }: Access): void {
  const { accesses } = call.store
  const namesake = accesses.findByName(type, name, deviceName)
  if (namesake && !(isExpired(namesake, call.now) && mayDelete(call, namesake)))
    fail('item-already-exists', `Another ${type} access is named "${name}"`, {
      type,
      name,
      deviceName: deviceName ?? null
    })
  if (namesake) revoke(call, namesake)
  if (!accesses.findByToken(token)) return
  // Who is told that a token exists could try one after the other.
  call.core.throttle.unknownToken(call.credentials.ip)
  fail('item-already-exists', 'An access with this token already exists', { token: '(hidden)' })
}
