/** Permissions end with their streams: nobody waits for a stream that somebody makes under the same id some day. */
import type { Access, EndedPermission } from '../../schemas/access.js'
import type { Stream } from '../../schemas/stream.js'
import { isStreamPermission, type Level, type Permission } from '../../schemas/permission.js'
import { ranks } from '../permissions/levels.js'
import type { Call } from '../call/method.js'
import { atOnce, type Steps } from '../../storage/steps.js'
import { streamsOf as named } from '../permissions/access.js'
import type { StreamNode } from '../../storage/streams/node.js'

/**
 * Takes from every access, live or expired, what it was granted on streams that are deleted at a time. `none` stays: it only
 * takes away. What has ended is noted in the access: see {@link EndedPermission}.
 */
export function* endPermissions(call: Call, nodes: readonly StreamNode[], until: number): Steps<void> {
  const streams = new Map(nodes.map(({ stream }) => [stream.id, stream.created]))
  yield* endWhere(call, () => streams, until)
}

/**
 * Adds a stream. Where one of its id has been deleted, what was granted on that one has ended: earlier versions left it, and
 * so do accounts that come from a backup or an archive of theirs.
 */
export function insertStream(call: Call, stream: Stream): StreamNode {
  const { streams } = call.store
  const until = streams.deletedAt(stream.id)
  const node = streams.insert(stream)
  if (until !== undefined) atOnce(endWhere(call, older(stream.id, until), until))
  return node
}

/** Times of creation are those of the clock, of deletion no less than a moment after what came before. */
const moment = 1

/** The stream, for accesses that were there when it was deleted. */
function older(id: string, deleted: number): (access: Access) => ReadonlyMap<string, number> {
  return ({ created }) => new Map(created < deleted - moment ? [[id, created]] : [])
}

/** `streamsOf`: ids of the streams that are gone for an access, with the times from which on they were there. */
function* endWhere(
  call: Call,
  streamsOf: (access: Access) => ReadonlyMap<string, number>,
  until: number
): Steps<void> {
  const { accesses } = call.store
  for (let last: Access | undefined, isLast = false; !isLast;) {
    const page = accesses.listAfter(last)
    for (const access of page.accesses) endThose(call, access, streamsOf(access), until)
    last = page.accesses.at(-1)
    isLast = page.isLast
    yield
  }
}

function endThose(
  { caller, changes, now, store }: Call,
  access: Access,
  streams: ReadonlyMap<string, number>,
  until: number
): void {
  const permissions: Permission[] = []
  const levels = new Map<string, Level>()
  for (const permission of access.permissions ?? []) {
    if (isStreamPermission(permission) && permission.level !== 'none' && streams.has(permission.streamId)) {
      const { level, streamId } = permission
      const other = levels.get(streamId)
      if (other === undefined || ranks[other] < ranks[level]) levels.set(streamId, level)
    } else permissions.push(permission)
  }
  if (levels.size === 0) return
  const ended = Array.from(levels, ([streamId, level]): EndedPermission => {
    return { streamId, level, since: streams.get(streamId)!, until }
  })
  changes.add('accesses', named(access), access.id)
  store.accesses.update({
    ...access,
    permissions,
    endedPermissions: [...(access.endedPermissions ?? []), ...ended],
    modified: store.stamp(now),
    modifiedBy: caller.signature
  })
}
