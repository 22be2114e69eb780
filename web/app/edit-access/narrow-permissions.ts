/** Takes levels away from permissions. */
import type { Level, Permission } from '../data/model.js'

/** A permission on a stream. */
type StreamPermission = Extract<Permission, { readonly streamId: string }>

/** The levels that allow nothing beyond a level, the level itself first. */
const narrower: Readonly<Record<Level, readonly Level[]>> = {
  manage: ['manage', 'contribute', 'read', 'create-only'],
  contribute: ['contribute', 'read', 'create-only'],
  'create-only': ['create-only'],
  read: ['read'],
  none: ['none']
}

/** Lists the levels that a level can have: itself or less; `none` takes it away. */
export function listNarrower(level: Level): readonly Level[] {
  return level === 'none' ? ['none'] : [...narrower[level], 'none']
}

/** Returns the permissions on streams that users see, which exclude those on the audit. */
export function listStreamPermissions(permissions: readonly Permission[]): StreamPermission[] {
  return permissions.filter(
    (permission): permission is StreamPermission =>
      'streamId' in permission && !permission.streamId.startsWith(':_audit:')
  )
}

/**
 * Returns the permissions with the chosen levels. A stream without a level loses its permission, or gets `none` where it
 * would otherwise inherit the level of another permission. `getAncestorIds`: ids of the streams above one.
 */
export function narrowPermissions(
  permissions: readonly Permission[],
  chosen: ReadonlyMap<string, Level>,
  getAncestorIds: (streamId: string) => readonly string[]
): Permission[] {
  const named = new Set(listStreamPermissions(permissions).map(({ streamId }) => streamId))
  return permissions.flatMap((permission): Permission[] => {
    const level = 'streamId' in permission ? chosen.get(permission.streamId) : undefined
    if (level === undefined || !('streamId' in permission)) return [permission]
    const { streamId } = permission
    const inherits = ['*', ...getAncestorIds(streamId)].some(id => id !== streamId && named.has(id))
    return level === 'none' && permission.level !== 'none' && !inherits ? [] : [{ streamId, level }]
  })
}
