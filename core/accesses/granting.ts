/** Permissions as clients send them, and what may be granted by whom. (docs/spec/accesses.md#permissions) */
import { Type, type Static } from 'typebox'
import type { StreamRepository } from '../../storage/repositories/streams.js'
import { FeaturePermission, isStreamPermission, Level, type Permission } from '../../schemas/permission.js'
import { closed, Identifier, orNull } from '../../schemas/scalars.js'
import { auditedAccess, isAuditId } from '../audit-ids.js'
import { fail } from '../errors.js'
import { isPlainId, toSlug } from '../ids.js'
import type { Call } from '../call/method.js'
import { currentId } from '../account/older-ids.js'
import { isSystemId } from '../system-ids.js'

/** Something that people can see, who choose by it: neither blanks nor characters that only control others. */
const visible =
  '[^\\s\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u200b-\\u200f\\u2028-\\u202f\\u2060-\\u206f\\ufeff]'

/** A stream permission with the name of its stream, as the sign-in page hands it on. */
export const RequestedStreamPermission = Type.Object(
  {
    streamId: Identifier,
    level: Level,
    defaultName: orNull(Type.String({ minLength: 1, pattern: visible })),
    name: orNull(Type.String())
  },
  closed
)
export type RequestedStreamPermission = Static<typeof RequestedStreamPermission>

export const RequestedPermission = Type.Union([
  RequestedStreamPermission,
  Type.Object({ ...FeaturePermission.properties }, closed)
])
export type RequestedPermission = Static<typeof RequestedPermission>

/** Far more than anybody grants, few enough to be gone through by a single call. (docs/spec/accesses.md#fields) */
export const RequestedPermissions = Type.Array(RequestedPermission, { maxItems: 10_000 })

/** The permissions to keep: without names. Errors for stream ids that no permission can name. */
export function grantable({ core, store }: Call, requested: readonly RequestedPermission[]): Permission[] {
  return requested.map(permission => {
    if (!('streamId' in permission)) return permission
    const { streamId, level } = permission
    const id = currentId(core.config, streamId)
    mustBeNameable(store.streams, id, level)
    return { streamId: id, level }
  })
}

/**
 * Raises `forbidden` unless the caller may create an access of this type with these permissions: personal accesses any
 * but personal ones, apps shared ones within their own permissions, shared accesses none. What an app shares has to be
 * there: `unknown-referenced-resource`.
 */
export function mustMayGrant(
  { caller, store }: Call,
  type: string,
  permissions: readonly Permission[]
): void {
  mustNotBePersonal(type)
  if (caller.isPersonal) return
  if (caller.access?.type !== 'app') fail('forbidden', 'Shared accesses cannot create accesses')
  if (type !== 'shared') fail('forbidden', 'App accesses can create shared accesses only')
  if (!permissions.some(isStreamPermission)) fail('forbidden', 'A permission on a stream is needed')
  if (!caller.covers(permissions)) fail('forbidden', "The permissions go beyond the caller's own")
  mustBeThere(store.streams, permissions)
}

/** Nothing is shared before it is there: whoever makes the stream some day has not been asked. */
function mustBeThere(streams: StreamRepository, permissions: readonly Permission[]): void {
  const streamIds = permissions.flatMap(permission =>
    isStreamPermission(permission) && permission.level !== 'none' ? missing(streams, permission.streamId) : []
  )
  if (streamIds.length > 0)
    fail('unknown-referenced-resource', `Unknown streams: ${streamIds.slice(0, 10).join(', ')}`, {
      streamIds
    })
}

function missing(streams: StreamRepository, streamId: string): string[] {
  return streamId === '*' || isAuditId(streamId) || streams.find(streamId) ? [] : [streamId]
}

/** Raises `forbidden` for the type of accesses that nobody can create, whatever else is asked for. */
export function mustNotBePersonal(type: unknown): void {
  if (type === 'personal') fail('forbidden', 'Personal accesses come from signing in only')
}

/** Of the audit the calls of single accesses can be granted, to be read. (docs/spec/accesses.md#account-streams) */
function mustBeAuditable(streamId: string, level: string): void {
  const access = auditedAccess(streamId)
  if (access === undefined || !isPlainId(access))
    fail('forbidden', `No permission can be granted on "${streamId}"`)
  if (level !== 'read') fail('invalid-operation', 'The audit can only be read', { param: streamId })
}

function mustBeNameable(streams: StreamRepository, streamId: string, level: string): void {
  if (streamId === '*') return
  if (isSystemId(streamId) && !serviceId.test(streamId)) refuseCharacters(streamId)
  if (isAuditId(streamId)) return mustBeAuditable(streamId, level)
  if (isSystemId(streamId)) return mustBeGrantable(streams, streamId, level)
  // Streams of tags have ids that no client could choose.
  if (streams.find(streamId)) return
  if (!isPlainId(streamId)) refuseCharacters(streamId)
  toSlug(streamId)
}

/** The form of all ids that the service has, or could have, for streams of its own. */
const serviceId = /^[:.][A-Za-z0-9._~:-]*$/

function refuseCharacters(streamId: string): never {
  fail('invalid-request-structure', `The stream id "${streamId}" holds characters that ids cannot have`)
}

/** Of the service's own streams those that are shown can be granted, up to `contribute`. (docs/spec/accesses.md#account-streams) */
function mustBeGrantable(streams: StreamRepository, streamId: string, level: string): void {
  const system = streams.find(streamId)?.system
  if (!system) fail('forbidden', `No permission can be granted on "${streamId}"`)
  if (system.isHidden || system.kind === 'mark' || level === 'manage')
    fail('invalid-operation', `"${level}" cannot be granted on "${streamId}"`, { param: streamId })
}
