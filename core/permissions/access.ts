/** What an access says of itself: who made it, on which streams, until when. */
import { Access } from '../../schemas/access.js'
import { isAuditId } from '../audit-ids.js'

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

/** Ids of the streams that an access names: whom its changes concern. (docs/spec/notifications.md#who-hears-of-a-change) */
export function streamsOf({ permissions = [] }: Access): string[] {
  return permissions.flatMap(permission =>
    'streamId' in permission && !isAuditId(permission.streamId) ? [permission.streamId] : []
  )
}
