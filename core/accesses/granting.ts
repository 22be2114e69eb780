/** Permissions as clients send them, and what may be granted by whom. (docs/spec/accesses.md#permissions) */
import { Type, type Static } from 'typebox'
import type { StreamRepository } from '../../storage/repositories/streams.js'
import type { Access } from '../../schemas/access.js'
import { FeaturePermission, isStreamPermission, Level, type Permission } from '../../schemas/permission.js'
import { closed, Identifier, maxNameLength, orNull } from '../../schemas/scalars.js'
import { formatWireId } from '../access-ids.js'
import { getAuditedAccess, isAuditId } from '../audit-ids.js'
import { fail } from '../errors.js'
import { isUrlSafeId, toSlug } from '../ids.js'
import type { Call } from '../call/method.js'
import { getAccountStreams } from '../account/fields.js'
import { toCurrentId } from '../account/older-ids.js'
import type { Config } from '../settings/config.js'
import { cmcApps, cmcInbox, cmcRoot, isCmcId, isInternalCmcId, parseAppPlace } from '../cmc-ids.js'
import { isFollowedId, isSystemId } from '../system-ids.js'
import { refuseParams } from '../validation/params.js'

/** A visible character, neither white space nor a control or format character: users decide by the names they see. */
const visibleCharacter =
  '[^\\s\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u200b-\\u200f\\u2028-\\u202f\\u2060-\\u206f\\ufeff]'

/** A stream permission with the name of its stream, as the sign-in page passes it on. */
export const RequestedStreamPermission = Type.Object(
  {
    streamId: Identifier,
    level: Level,
    defaultName: orNull(Type.String({ minLength: 1, maxLength: maxNameLength, pattern: visibleCharacter })),
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

/**
 * The maximum number is more than any client grants, but few enough for a single call to process.
 * (docs/spec/accesses.md#fields)
 */
export const RequestedPermissions = Type.Array(RequestedPermission, { maxItems: 10_000 })

/**
 * Throws `invalid-parameters-format` if a permission proposes a name for a stream of tags: only the service names
 * those, and users would rely on a misleading name. `field`: the param that holds the permissions.
 * (docs/spec/accesses.md#creating-an-access)
 */
export function assertNoTagNames(
  config: Config,
  requested: readonly object[],
  field: 'permissions' | 'requestedPermissions'
): void {
  const { isTagId } = getAccountStreams(config)
  const index = requested.findIndex(permission => {
    const { defaultName, streamId } = permission as { defaultName?: unknown; streamId?: unknown }
    return typeof defaultName === 'string' && typeof streamId === 'string' && isTagId(streamId)
  })
  if (index < 0) return
  const message =
    'The ID is reserved for tag streams, which the service names. Leave out "defaultName", or choose another ID'
  refuseParams([{ code: 'RESERVED_STREAM_ID', message, path: `#/${field}/${index}/defaultName` }])
}

/**
 * Returns the permissions to store, without names. Throws for streams that cannot be granted: `forbidden`,
 * `invalid-operation` if only the level cannot be granted, `invalid-request-structure` for malformed ids, and
 * as {@link assertNoTagNames} does.
 */
export function toStoredPermissions(
  { services, store }: Call,
  requested: readonly RequestedPermission[]
): Permission[] {
  assertNoTagNames(services.config, requested, 'permissions')
  return requested.map(permission => {
    if (!('streamId' in permission)) return permission
    const { streamId, level } = permission
    const id = toCurrentId(services.config, streamId)
    assertTagGrant(store.streams, id, level)
    return { streamId: id, level }
  })
}

/** Maximum length of the permissions of an access as JSON, with those that have ended. */
const maxLength = 2_000_000

/**
 * Throws `invalid-operation` if permissions are too long together with those that ended with their streams, which an access (`before`)
 * keeps: all are read with each of its calls. Fewer than before are never too long.
 */
export function assertPermissionsFit(
  permissions: readonly Permission[],
  { endedPermissions = [], permissions: former = [] }: Partial<Access> = {}
): void {
  const [length, formerLength, endedLength] = [permissions, former, endedPermissions].map(
    list => JSON.stringify(list).length
  )
  if (length! + endedLength! <= maxLength || length! <= formerLength!) return
  fail(
    'invalid-operation',
    `The permissions of an access, with those that ended with their streams, can have at most ${maxLength} characters`
  )
}

/**
 * Throws `forbidden` unless the caller may create an access of this type with these permissions: personal
 * accesses may create app and shared accesses, apps may create shared accesses within their own permissions,
 * at least one of them on a stream, shared accesses may create none. Streams that an app shares have to exist:
 * otherwise `unknown-referenced-resource`.
 */
export function assertMayGrant(
  { caller, store }: Call,
  type: string,
  permissions: readonly Permission[]
): void {
  assertNotPersonal(type)
  if (caller.isPersonal) return
  if (caller.access?.type !== 'app') fail('forbidden', 'Shared accesses cannot create accesses')
  if (type !== 'shared') fail('forbidden', 'App accesses can create shared accesses only')
  if (!permissions.some(isStreamPermission)) fail('forbidden', 'At least one stream permission is required')
  if (!caller.covers(permissions))
    fail('forbidden', 'The permissions exceed those of the caller', {
      managingAccessId: formatWireId(caller.access)
    })
  assertStreamsExist(store.streams, permissions)
}

/**
 * Throws `unknown-referenced-resource` for streams that do not exist: the user who creates one later has not agreed to
 * share it.
 */
export function assertStreamsExist(streams: StreamRepository, permissions: readonly Permission[]): void {
  const streamIds = permissions.flatMap(permission =>
    isStreamPermission(permission) && permission.level !== 'none'
      ? findMissing(streams, permission.streamId)
      : []
  )
  if (streamIds.length > 0)
    fail('unknown-referenced-resource', `Unknown streams: ${streamIds.slice(0, 10).join(', ')}`, {
      streamIds
    })
}

function findMissing(streams: StreamRepository, streamId: string): string[] {
  return streamId === '*' || isAuditId(streamId) || streams.find(streamId) ? [] : [streamId]
}

/** Throws `forbidden` for personal accesses, which only signing in creates. */
export function assertNotPersonal(type: unknown): void {
  if (type === 'personal') fail('forbidden', 'Personal accesses can only be created by signing in')
}

/**
 * Throws unless the stream is the audit of a single access and the level is `read`.
 * (docs/spec/accesses.md#account-streams)
 */
function assertAuditGrant(streamId: string, level: string): void {
  const access = getAuditedAccess(streamId)
  if (access === undefined || !isUrlSafeId(access))
    fail('forbidden', `Permissions cannot be granted on "${streamId}"`)
  if (level !== 'read') fail('invalid-operation', 'The audit is read-only', { param: streamId })
}

function assertTagGrant(streams: StreamRepository, streamId: string, level: string): void {
  if (streamId === '*') return
  if (isSystemId(streamId) && !systemIdPattern.test(streamId)) refuseCharacters(streamId)
  if (isAuditId(streamId)) return assertAuditGrant(streamId, level)
  if (isSystemId(streamId)) return assertSystemStreamGrant(streams, streamId, level)
  if (isCmcId(streamId)) return assertCmcGrant(streamId)
  // Tag streams have ids that clients cannot choose themselves.
  if (streams.find(streamId)) return
  if (!isUrlSafeId(streamId)) refuseCharacters(streamId)
  toSlug(streamId)
}

/** Throws unless the stream is one for consent and messages that callers may see. */
function assertCmcGrant(streamId: string): void {
  if (isInternalCmcId(streamId)) fail('forbidden', `Permissions cannot be granted on "${streamId}"`)
  const isKnown = [cmcRoot, cmcInbox, cmcApps].includes(streamId) || parseAppPlace(streamId) !== undefined
  if (!isKnown || !systemIdPattern.test(streamId)) refuseCharacters(streamId)
}

/** The form of the ids of system streams. */
const systemIdPattern = /^[:.][A-Za-z0-9._~:-]*$/

function refuseCharacters(streamId: string): never {
  fail('invalid-request-structure', `The stream ID "${streamId}" contains invalid characters`)
}

/**
 * Throws unless the system stream is visible and the level is at most `contribute`.
 * (docs/spec/accesses.md#account-streams)
 */
function assertSystemStreamGrant(streams: StreamRepository, streamId: string, level: string): void {
  const node = streams.find(streamId)
  if (node && isFollowedId(streamId)) {
    if (level === 'read' || level === 'none') return
    fail('invalid-operation', `Only "read" can be granted on "${streamId}", a copy`, { param: streamId })
  }
  const system = node?.system
  if (!system) fail('forbidden', `Permissions cannot be granted on "${streamId}"`)
  if (system.isHidden || system.kind === 'mark' || level === 'manage')
    fail('invalid-operation', `"${level}" cannot be granted on "${streamId}"`, { param: streamId })
}
