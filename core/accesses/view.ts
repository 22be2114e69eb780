/** Accesses as clients see them. (service.md, Access; supplement 13.1) */
import { Type, type Static } from 'typebox'
import { Access } from '../../schemas/access.js'
import { isAuditId } from '../audit/ids.js'
import type { Call } from '../call/method.js'
import { apiEndpoint } from '../platform/service-info.js'

/** An access with the endpoint that its token opens. */
export const PublicAccess = Type.Object({ ...Access.properties, apiEndpoint: Type.String() })
export type PublicAccess = Static<typeof PublicAccess>

/** An access with its endpoint and its last use. */
export function publicAccess(call: Pick<Call, 'account' | 'core' | 'store'>, access: Access): PublicAccess {
  const { id, token, ...rest } = withLastUse(call, access)
  return { id, token, apiEndpoint: apiEndpoint(call.core.config, call.account.username, token), ...rest }
}

/** An access with its last use, which is counted apart from it. */
export function withLastUse({ store }: Pick<Call, 'store'>, access: Access): Access {
  const lastUsed = store.usage.lastUsed(access.id)
  return lastUsed === undefined ? access : { ...access, lastUsed }
}

/** Whether an access has come to its end at `now`. */
export function isExpired({ expires }: Access, now: number): boolean {
  return expires !== undefined && expires <= now
}

/** The id of the access that created another: in `createdBy` a caller id may follow it. */
export function creatorOf({ createdBy }: Pick<Access, 'createdBy'>): string {
  return createdBy.split(' ', 1)[0] ?? ''
}

/** Whether an access was created by another. */
export function isCreatedBy(access: Access, creator: string): boolean {
  return creatorOf(access) === creator
}

/** Whether the caller may delete an access that is not its own: personal accesses any, apps what they shared. */
export function mayDelete({ caller }: Pick<Call, 'caller'>, access: Access): boolean {
  if (caller.isPersonal) return true
  return caller.access?.type === 'app' && access.type === 'shared' && isCreatedBy(access, caller.accessId)
}

/** Ids of the streams that an access names: whom its changes concern. (supplement 26) */
export function streamsOf({ permissions = [] }: Access): string[] {
  return permissions.flatMap(permission =>
    'streamId' in permission && !isAuditId(permission.streamId) ? [permission.streamId] : []
  )
}
