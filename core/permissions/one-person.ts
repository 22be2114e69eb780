/** Whose data an access reads where values are merged and no streams are named. (docs/api/measure-methods.md#whose-data) */
import type { Access } from '../../schemas/access.js'
import { isStreamPermission } from '../../schemas/permission.js'
import { isCmcId } from '../cmc-ids.js'
import { fail } from '../errors.js'
import { getRootOfCopy, isFollowedId, isSystemId } from '../system-ids.js'
import { allows } from './levels.js'

/** Maximum number of people that an error names. */
const maxNamed = 10

/**
 * Returns a test of whether a stream is of the one person whose data the access reads: the user if it may read any of the user's own
 * streams, else the person whose copy it may read. No stream is if there are several such people.
 */
export function createPersonTest(access: Access): (streamId: string) => boolean {
  const [root, ...others] = listPeople(access)
  if (root === undefined) return id => !isFollowedId(id)
  return id => others.length === 0 && isFollowedId(id) && getRootOfCopy(id) === root
}

/** Throws `invalid-operation` if the access reads data of several people, and none of the user. */
export function assertOnePerson(access: Access): void {
  const streams = listPeople(access)
  if (streams.length > 1)
    fail(
      'invalid-operation',
      'This access reads data of several people. Name the streams of one of them in "streams", or use an access for one of them',
      { streams: streams.slice(0, maxNamed) }
    )
}

/** Returns the roots of the copies that the access may read; none if it may read any stream of the user. */
function listPeople({ permissions = [] }: Access): readonly string[] {
  const roots = new Set<string>()
  for (const permission of permissions) {
    if (!isStreamPermission(permission) || !allows(permission.level, 'read')) continue
    const { streamId } = permission
    if (isFollowedId(streamId)) roots.add(getRootOfCopy(streamId))
    // Account fields and messages are no data of the user.
    else if (!isSystemId(streamId) && !isCmcId(streamId)) return []
  }
  return [...roots]
}
