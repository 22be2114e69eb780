/** Updates an access and keeps its former version. (docs/spec/accesses.md#updating-an-access) */
import type { Access } from '../../schemas/access.js'
import type { Permission } from '../../schemas/permission.js'
import type { KeyValue } from '../../schemas/scalars.js'
import type { Call } from '../call/method.js'
import { getCreatorId, listStreamIds } from '../permissions/access.js'
import { inheritSecretSharing } from './chain-rules.js'

/**
 * The new values of an access; fields that are absent stay. A value replaces the former value as a whole, `null` removes it.
 * `expires`: seconds since the epoch.
 */
export interface AccessChange {
  readonly name?: string
  readonly deviceName?: string | null
  readonly permissions?: readonly Permission[]
  readonly expires?: number | null
  readonly clientData?: KeyValue | null
}

/**
 * Updates an access: keeps the version that it was, raises its serial, stores and announces the new one, and returns it
 * as stored (`formatWireId` gives its id for clients). Its token stays the same. Must be called in the transaction of a
 * write, with an access just read from `call.store`.
 *
 * `accesses.update` adds who may change what, the rules between an app and its shares, and the setting
 * `accesses.updates`. Parts of the service that update accesses for reasons of their own call this function alone,
 * whatever the setting: nothing is refused, not even a change that leaves the shares of an app outside of its
 * permissions, since these grant no more than the app has whenever they are used. Such callers must pass permissions
 * that have been checked (`toStoredPermissions`), and a name that is free: otherwise `UniqueViolation` of `access.type`.
 * Renewing a token, or counting uses, is no update.
 */
export function updateAccess(call: Call, before: Access, change: AccessChange): Access {
  const { caller, changes, now, store } = call
  const after: Access = {
    ...applyChange(call, before, change),
    serial: (before.serial ?? 0) + 1,
    modified: store.stamp(now),
    modifiedBy: caller.versionedSignature
  }
  store.accesses.insertVersion(before)
  const kept = store.accesses.update(after)
  // An app does not renew its access beyond the end that the user has chosen, nor by signing in unless the user agrees.
  if (typeof change.expires === 'number') {
    store.oauthGrants.limit(after.id, change.expires)
    store.consents.clear(after.id)
  }
  // Before and after: who saw it in a stream that it no longer names is notified too.
  changes.addAccess(before, listStreamIds(before))
  changes.addAccess(kept, listStreamIds(kept), {
    serial: after.serial!,
    creatorId: getCreatorId(after)
  })
  return kept
}

/**
 * Returns an access with the new values, without a new version. Like {@link inheritSecretSharing}, forbids
 * shared secrets if the app that shared it may not use them.
 */
export function applyChange(call: Call, before: Access, change: AccessChange): Access {
  const { clientData, deviceName, expires, permissions, ...rest } = { ...before, ...dropUndefined(change) }
  const after = {
    ...rest,
    ...(permissions && { permissions: [...permissions] }),
    ...(typeof deviceName === 'string' && { deviceName }),
    ...(typeof expires === 'number' && { expires }),
    ...(clientData && Object.keys(clientData).length > 0 && { clientData })
  }
  return inheritSecretSharing(call, after)
}

function dropUndefined(change: AccessChange): AccessChange {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
}
