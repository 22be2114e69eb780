/** The rules of consent and messages for accesses and streams, as hooks of the methods. (docs/spec/consent.md) */
import type { Access } from '../../schemas/access.js'
import type { MethodHook } from '../call/hooks.js'
import type { Call } from '../call/method.js'
import { isCmcId, isReservedCmcId, parseAppPlace } from '../cmc-ids.js'
import { getCapability, getCounterparty } from '../permissions/peer-access.js'
import { isObject } from '../validation/is-object.js'
import { refuse } from './failures.js'
import { announceEnd } from './relationships.js'
import { assertEnabled, beforeCreate, beforeDelete, beforeUpdate, provideScope } from './streams.js'

/** Refuses client data with the key of the service. */
function assertClientData(data: unknown): void {
  if (isObject(data) && Object.hasOwn(data, 'cmc'))
    refuse('cmc-clientdata-cmc-forbidden', 'The key "cmc" of the client data belongs to the service')
}

/** Creates the streams of apps that permissions name. */
function provideNamed(call: Call, permissions: unknown): void {
  if (!Array.isArray(permissions)) return
  for (const permission of permissions as unknown[]) {
    const id = isObject(permission) ? permission['streamId'] : undefined
    if (typeof id !== 'string' || !isCmcId(id)) continue
    assertEnabled(call)
    if (!isReservedCmcId(id) && parseAppPlace(id)) provideScope(call, id)
  }
}

/** The hook of `accesses.create`. */
export const createAccessHook: MethodHook = {
  before(call, given) {
    const { clientData, permissions } = given as { readonly clientData?: unknown; readonly permissions?: unknown }
    assertClientData(clientData)
    provideNamed(call, permissions)
    return { params: given }
  }
}

/** The relationship that a call is about to end, by call. */
const ending = new WeakMap<Call, Access>()

/** The hook of `accesses.delete`. */
export const deleteAccessHook: MethodHook = {
  before(call, given) {
    const { id } = given as { readonly id: string }
    const access = call.store.accesses.find(id.split(':', 1)[0]!)
    if (access && (getCounterparty(access) ?? getCapability(access))) ending.set(call, access)
    return { params: given }
  },
  after(call, _params, result) {
    const access = ending.get(call)
    const mark = getCounterparty(access)
    if (!access || !mark || call.store.accesses.find(access.id)) return result
    announceEnd(call, { access, mark }, {})
    call.store.cmc.removeRelationship(access.id)
    return result
  }
}

/** The hooks of the methods that change streams. */
export const createStreamHook: MethodHook = {
  before(call, given) {
    const params = given as { readonly id?: string | null; readonly parentId?: string | null }
    if (isCmcId(params.id ?? '')) assertEnabled(call)
    beforeCreate(call, params)
    return { params }
  }
}

export const updateStreamHook: MethodHook = {
  before(call, given) {
    const params = given as Parameters<typeof beforeUpdate>[1]
    beforeUpdate(call, params)
    return { params }
  }
}

export const deleteStreamHook: MethodHook = {
  before(call, given) {
    beforeDelete(call, (given as { readonly id: string }).id)
    return { params: given }
  }
}
