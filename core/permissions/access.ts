/** Reads the creator, streams and expiry of an access record. */
import { Access } from '../../schemas/access.js'
import { getBaseId } from '../access-ids.js'
import { isAuditId } from '../audit-ids.js'

/** Returns whether an access has expired at `now` (seconds). */
export function isExpired({ expires }: Access, now: number): boolean {
  return expires !== undefined && expires <= now
}

/**
 * Returns the id of the access that created an item: `createdBy` may also hold its version, and a caller id. The id is
 * the same for all versions of that access.
 */
export function getCreatorId({ createdBy }: Pick<Access, 'createdBy'>): string {
  return getBaseId(createdBy.split(' ', 1)[0] ?? '')
}

/** Returns whether an access was created by another. */
export function isCreatedBy(access: Pick<Access, 'createdBy'>, creator: string): boolean {
  return getCreatorId(access) === creator
}

/**
 * Returns ids of the streams that an access names, which decide who is notified of its changes.
 * (docs/spec/notifications.md#who-is-notified) Those of the audit are omitted.
 */
export function listStreamIds({ permissions = [] }: Access): string[] {
  return permissions.flatMap(permission =>
    'streamId' in permission && !isAuditId(permission.streamId) ? [permission.streamId] : []
  )
}
