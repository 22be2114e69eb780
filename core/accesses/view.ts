/** Accesses as clients see them. (docs/spec/accesses.md#fields) */
import { Type, type Static } from 'typebox'
import { Access } from '../../schemas/access.js'
import type { Call } from '../call/method.js'
import { apiEndpoint } from '../service-info.js'
import { isCreatedBy } from '../permissions/access.js'

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

/** Whether the caller may delete an access that is not its own: personal accesses any, apps what they shared. */
export function mayDelete({ caller }: Pick<Call, 'caller'>, access: Access): boolean {
  if (caller.isPersonal) return true
  return caller.access?.type === 'app' && access.type === 'shared' && isCreatedBy(access, caller.accessId)
}
