/** The rules of consent and messages for accesses and streams, as hooks of the methods. (docs/spec/consent.md) */
import type { Access } from '../../schemas/access.js'
import { isStreamPermission, type Level, type Permission } from '../../schemas/permission.js'
import type { Steps } from '../../storage/steps.js'
import { formatWireId, getBaseId } from '../access-ids.js'
import type { MethodHook } from '../call/hooks.js'
import type { Call } from '../call/method.js'
import { getCmcParent, isCmcId, isReservedCmcId } from '../cmc-ids.js'
import { allows, ranks } from '../permissions/levels.js'
import { getCapability, getCounterparty } from '../permissions/peer-access.js'
import { fail } from '../errors.js'
import { replaceGranted, withoutMachinery } from './permissions.js'
import { announceEnd, findRelationship } from './relationships.js'
import { announceChange } from './scope-updates.js'
import { assertEnabled, beforeCreate, beforeDelete, beforeUpdate, provideScope } from './streams.js'

/** Creates the streams of apps that permissions name, unless the caller may not grant these, or only reads there. */
function* provideNamed(call: Call, permissions: readonly Permission[] = []): Steps<void> {
  const isPeer = getCounterparty(call.caller.access) !== undefined
  for (const permission of permissions) {
    yield
    if (!isStreamPermission(permission) || !isCmcId(permission.streamId)) continue
    // Those that it shared with would write there as if they were the user.
    if (isPeer) fail('forbidden', 'Peers cannot share the streams of a relationship')
    assertEnabled(call)
    const { level, streamId } = permission
    if (!isReservedCmcId(streamId) && mayProvide(call, streamId, level)) yield* provideScope(call, streamId)
  }
}

/**
 * Returns whether a stream may be created for a level that is granted on it: it inherits the caller's. `none` needs no stream, and who
 * only reads cannot fill the account.
 */
function mayProvide({ caller, store }: Call, streamId: string, level: Level): boolean {
  let known: string | null = streamId
  while (known !== null && !store.streams.find(known)) known = getCmcParent(known)
  const held = caller.level(known ?? '*')
  return held !== undefined && allows(held, 'create') && level !== 'none' && ranks[held] >= ranks[level]
}

/**
 * The hook of `accesses.create`: creates the streams of apps that permissions name. Error: `forbidden` for
 * peers. Error: `unavailable-method` if permissions name such streams while consent is switched off.
 */
export const createAccessHook: MethodHook = {
  *before(call, given) {
    yield* provideNamed(call, (given as { readonly permissions: readonly Permission[] }).permissions)
    return { params: given }
  }
}

interface UpdateParams {
  readonly id: string
  readonly update: { readonly permissions?: readonly Permission[] }
}

/** The access of a peer that a call is about to change or to end, by call. */
const former = new WeakMap<Call, Access>()

function findPeerAccess(call: Call, id: string): Access | undefined {
  const access = call.store.accesses.find(getBaseId(id))
  return getCounterparty(access) ? access : undefined
}

/**
 * The hook of `accesses.update`: also creates the streams of apps that permissions name. The access of a peer
 * keeps its permissions for messages, and the peer is notified of the change. Error: `forbidden` for the link
 * of an offer. Refuses peers, and permissions while consent is switched off, as {@link createAccessHook}.
 */
export const updateAccessHook: MethodHook = {
  *before(call, given) {
    const params = given as UpdateParams
    const { id, update } = params
    if (getCapability(call.store.accesses.find(getBaseId(id))))
      fail('forbidden', 'The link of an offer cannot change')
    yield* provideNamed(call, update.permissions)
    const access = findPeerAccess(call, id)
    if (!access) return { params }
    former.set(call, access)
    if (!update.permissions) return { params }
    // The permissions for messages stay, whatever else the peer may do.
    const permissions = replaceGranted(withoutMachinery(update.permissions), access.permissions ?? [])
    return { params: { ...params, update: { ...update, permissions } } }
  },
  after(call, _params, result) {
    const before = former.get(call)
    const found = before && findRelationship(call, before.id)
    if (found) announceChange(call, found, before.permissions ?? [], formatWireId(found.access))
    return result
  }
}

/** The hook of `accesses.delete`: tells the peer that held the access, and ends the relationship. */
export const deleteAccessHook: MethodHook = {
  before(call, given) {
    const access = findPeerAccess(call, (given as { readonly id: string }).id)
    if (access) former.set(call, access)
    return { params: given }
  },
  after(call, _params, result) {
    const access = former.get(call)
    const mark = getCounterparty(access)
    if (!access || !mark || call.store.accesses.find(access.id)) return result
    announceEnd(call, { access, mark }, {})
    call.store.cmc.removeRelationship(access.id)
    return result
  }
}

/**
 * The hook of `streams.create`: creates what is above a stream below `:_cmc:`. Errors: `unavailable-method`
 * while consent is switched off, and those of {@link beforeCreate}.
 */
export const createStreamHook: MethodHook = {
  *before(call, given) {
    const params = given as { readonly id?: string | null; readonly parentId?: string | null }
    if (isCmcId(params.id ?? '')) assertEnabled(call)
    yield* beforeCreate(call, params)
    return { params }
  }
}

/** The hook of `streams.update`. Errors: those of {@link beforeUpdate}. */
export const updateStreamHook: MethodHook = {
  before(call, given) {
    const params = given as Parameters<typeof beforeUpdate>[1]
    beforeUpdate(call, params)
    return { params }
  }
}

/** The hook of `streams.delete`. Errors: those of {@link beforeDelete}. */
export const deleteStreamHook: MethodHook = {
  before(call, given) {
    beforeDelete(call, (given as { readonly id: string }).id)
    return { params: given }
  }
}
