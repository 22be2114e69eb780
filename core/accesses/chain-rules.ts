/** The rules between an app's access and the accesses that it shared. (docs/spec/accesses.md#apps-and-their-shares) */
import { isDeepStrictEqual } from 'node:util'
import type { Access } from '../../schemas/access.js'
import { findSetting, type Permission } from '../../schemas/permission.js'
import type { Steps } from '../../storage/steps.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { formatWireId } from '../access-ids.js'
import type { Call } from '../call/method.js'
import { fail } from '../errors.js'
import { getCreatorId, isCreatedBy, isExpired } from '../permissions/access.js'
import { getEffectiveGrants } from '../permissions/effective-grants.js'
import { Grants } from '../permissions/grants.js'

type StoreContext = Pick<Call, 'store'>

/** Returns the app that shared an access; `undefined` if someone else did, or the app's access has been deleted. */
export function findManagingApp({ store }: StoreContext, access: Access): Access | undefined {
  const creator = access.type === 'shared' ? store.accesses.find(getCreatorId(access)) : undefined
  return creator?.type === 'app' ? creator : undefined
}

/**
 * Calls `visit` with each shared access of an app that has neither expired nor been deleted. In steps, one at a time: each
 * may have thousands of permissions.
 */
export function* visitChildren(
  { now, store }: Pick<Call, 'now' | 'store'>,
  id: string,
  visit: (child: Access) => void
): Steps<void> {
  for (const childId of store.accesses.listIdsCreatedBy(id)) {
    const child = store.accesses.find(childId)
    if (child && isCreatedBy(child, id) && !isExpired(child, now)) visit(child)
    yield
  }
}

/** Throws `invalid-operation` for a shared access with permissions that the app which shared it does not have. */
export function assertWithinApp({ store }: StoreContext, app: Access, access: Access): void {
  if (!isWithin(store, getEffectiveGrants(store, app).grants, access))
    fail('invalid-operation', 'The permissions exceed those of the app that shared the access', {
      managingAccessId: formatWireId(app)
    })
}

/** Throws `invalid-operation` for a shared access that is to end later than the access of the app that shared it. */
export function assertNotOutliving(app: Access, { expires }: Access): void {
  const end = app.expires
  if (end !== undefined && expires !== undefined && expires > end) failOutliving(end, expires)
}

/** Throws `invalid-operation`: a shared access would end after `end`, or never (`requested` is null). */
export function failOutliving(end: number, requested: number | null): never {
  fail('invalid-operation', 'The access would expire later than the access that creates it', {
    expires: end,
    parentExpires: end,
    requestedExpires: requested
  })
}

/**
 * Throws `invalid-operation` for an update of an app's access that takes permissions away from its shared accesses, or
 * would end before one of them ends.
 */
export function* assertKeepsChildren(call: Call, before: Access, after: Access): Steps<void> {
  const isSooner = (after.expires ?? Infinity) < (before.expires ?? Infinity)
  const isChanged = !isDeepStrictEqual(before.permissions, after.permissions)
  if (!isSooner && !isChanged) return
  if (isChanged) {
    const former = new Grants(before)
    const next = new Grants(after)
    yield* assertNone(
      call,
      before.id,
      each => isWithin(call.store, former, each) && !isWithin(call.store, next, each),
      'Accesses that the app shared exceed these permissions: update or delete them first'
    )
  }
  if (isSooner)
    yield* assertNone(
      call,
      before.id,
      ({ expires }) => expires !== undefined && expires > after.expires!,
      'Accesses that the app shared end later: update or delete them first'
    )
}

/**
 * Returns an access that may not use shared secrets if the app that shared it may not either: the share keeps this
 * whatever becomes of the app. (docs/spec/accesses.md#features)
 */
export function inheritSecretSharing(call: StoreContext, access: Access): Access {
  const app = findManagingApp(call, access)
  const isForbidden = app && getEffectiveGrants(call.store, app).grants.isForbidden('secretSharing')
  const { permissions = [] } = access
  if (!isForbidden || findSetting(permissions, 'secretSharing') === 'forbidden') return access
  const inherited: Permission = { feature: 'secretSharing', setting: 'forbidden' }
  return { ...access, permissions: [...permissions, inherited] }
}

function isWithin(store: UserStore, grants: Grants, access: Access): boolean {
  return grants.covers(store.streams, new Grants(access))
}

/** Throws `invalid-operation` with the ids of the offending children of an app's access, if there are any. */
function* assertNone(
  call: Call,
  id: string,
  isOffending: (child: Access) => boolean,
  message: string
): Steps<void> {
  const offendingChildren: string[] = []
  yield* visitChildren(call, id, child => {
    if (isOffending(child)) offendingChildren.push(formatWireId(child))
  })
  if (offendingChildren.length > 0) fail('invalid-operation', message, { offendingChildren })
}
