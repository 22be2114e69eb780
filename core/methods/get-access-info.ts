/** Information about the access in use. (docs/spec/accesses.md#access-info) */
import { Type } from 'typebox'
import {
  features,
  findSetting,
  isStreamPermission,
  type Level,
  type Permission,
  type StreamPermission
} from '../../schemas/permission.js'
import { PublicAccess, addEndpoint } from '../accesses/public-access.js'
import { anyAccess } from '../auth/allow.js'
import { isOperator } from '../auth/operators.js'
import { getAuditedAccess, getAuditStreamId } from '../audit-ids.js'
import type { Access } from '../../schemas/access.js'
import type { Caller } from '../permissions/caller.js'
import { fail } from '../errors.js'
import { JsonMembers, joinMembers } from '../json/json-text.js'
import { intersectLevels } from '../permissions/levels.js'
import { method, type Call } from '../call/method.js'
import { getPasswordTimes, type PasswordTimes } from '../sign-in/password-rules.js'

/**
 * Returns the access as it is in force, its calls by method, and the account that it belongs to. Throws
 * `invalid-access-token` without an access.
 */
export const getAccessInfo = method({
  id: 'getAccessInfo',
  summary: 'Get the current access',
  params: Type.Object({}),
  result: Type.Object({
    ...PublicAccess.properties,
    calls: Type.Record(Type.String(), Type.Integer()),
    user: Type.Object({
      username: Type.String(),
      passwordExpires: Type.Optional(Type.Number()),
      passwordCanBeChanged: Type.Optional(Type.Number()),
      /** Set for sessions of pages only, which operators use to run the service. */
      isOperator: Type.Optional(Type.Literal(true))
    })
  }),
  mode: 'read',
  allow: anyAccess,
  run(call) {
    const access = call.caller.access ?? fail('invalid-access-token')
    const { usage } = call.store
    const rest = {
      lastUsed: usage.getLastUsed(access.id),
      calls: usage.countCalls(access.id),
      user: { username: call.account.username, ...getCallerPasswordTimes(call), ...getOperatorFlag(call) }
    }
    return new JsonMembers(`${getAccessText(call, access)},${joinMembers(rest)}`)
  }
})

/** Cached texts of accesses. A changed access is another object. */
const cachedTexts = new WeakMap<Access, { readonly username: string; readonly text: string }>()

/**
 * Returns the members of an access as its holder sees it, without its last use, as JSON text. Cached, since building it
 * takes as long as the rest of the call, which apps make first. Members that depend on more than the access are not
 * cached.
 */
function getAccessText(call: Call, access: Access): string {
  const mayKeep = access.type !== 'shared' && !call.credentials.isPage
  const kept = mayKeep ? cachedTexts.get(access) : undefined
  if (kept?.username === call.account.username) return kept.text
  const shown = addOwnAudit(call, limitToEffective(call, omitVersion(addEndpoint(call, access))))
  const text = joinMembers(shown)
  if (mayKeep) cachedTexts.set(access, { username: call.account.username, text })
  return text
}

/**
 * Returns an access under the id that all its versions have. The integrity value covers the id of its version, and is then
 * omitted.
 */
function omitVersion(access: PublicAccess & Pick<Access, 'serial'>): PublicAccess {
  if (access.serial === undefined) return access
  const { integrity: _ofVersion, serial: _number, ...rest } = access
  return rest
}

/** Returns password times, for personal accesses only and only if rules are configured. */
function getCallerPasswordTimes({ caller, services: { config }, store }: Call): PasswordTimes {
  const { passwordAgeMaxDays, passwordAgeMinDays } = config.auth
  if (!caller.isPersonal || (passwordAgeMaxDays === 0 && passwordAgeMinDays === 0)) return {}
  return getPasswordTimes(config, store.account.password())
}

/**
 * Returns whether the caller operates the service, for sessions of pages only. (docs/spec/administration.md#operators)
 */
function getOperatorFlag({ account, caller, credentials, services }: Call): { isOperator?: true } {
  return caller.isPersonal && credentials.isPage && isOperator(services, account) ? { isOperator: true } : {}
}

/**
 * Returns a shared access with its effective permissions: at most the permissions of the app that shared it.
 * If they differ from the stored ones, the integrity value is omitted. Other accesses are returned as they
 * are.
 */
function limitToEffective({ caller }: Call, access: PublicAccess): PublicAccess {
  if (access.type !== 'shared') return access
  const { integrity: _kept, permissions = [], ...rest } = access
  let isSame = true
  const effective = permissions.flatMap((permission): Permission[] => {
    if (!isStreamPermission(permission)) return [permission]
    const level = getEffectiveLevel(caller, permission)
    isSame &&= level === permission.level
    return level === undefined ? [] : [{ ...permission, level }]
  })
  const inherited = features.filter(
    feature => caller.isForbidden(feature) && findSetting(permissions, feature) !== 'forbidden'
  )
  if (isSame && inherited.length === 0) return access
  const forbidden = inherited.map(feature => ({ feature, setting: 'forbidden' }) as const)
  return { ...rest, permissions: [...effective, ...forbidden] }
}

/** Returns the level that a permission really gives; `undefined` if it no longer gives any. */
function getEffectiveLevel(caller: Caller, { level, streamId }: StreamPermission): Level | undefined {
  const accessId = getAuditedAccess(streamId)
  if (accessId !== undefined) return caller.mayAudit(accessId) ? level : undefined
  const effective = caller.level(streamId)
  // Of two permissions on one stream the higher applies: the other stays as it is.
  return effective === undefined || effective === 'none' ? effective : intersectLevels(level, effective)
}

/**
 * Adds the permission that every access has to see its own calls. The integrity value, which does not cover this
 * permission, is then omitted. (docs/spec/accesses.md#access-info)
 */
function addOwnAudit({ caller, services }: Call, access: PublicAccess): PublicAccess {
  if (caller.isPersonal || !services.config.audit.active || !caller.mayAudit(access.id)) return access
  const { integrity: _without, ...rest } = access
  const { id, permissions = [] } = rest
  return { ...rest, permissions: [...permissions, { streamId: getAuditStreamId(id), level: 'read' }] }
}
