/** Permissions end with their streams: a permission must not apply to a stream created later under the same id. */
import { assertStreamsFitInMemory } from './placement.js'
import type { Access, EndedPermission } from '../../schemas/access.js'
import type { Stream } from '../../schemas/stream.js'
import { isStreamPermission, type Level, type Permission } from '../../schemas/permission.js'
import { ranks } from '../permissions/levels.js'
import type { Call } from '../call/method.js'
import type { Changes } from '../changes.js'
import { NeedsSteps } from '../../storage/errors.js'
import type { Steps } from '../../storage/steps.js'
import { listStreamIds as named } from '../permissions/access.js'
import type { StreamNode } from '../../storage/streams/node.js'
import type { UserStore } from '../../storage/user/user-store.js'

/** Maximum accesses that are read without yielding. */
const maxAtOnce = 1000

/**
 * Removes from every access, live or expired, the permissions on streams that are being deleted. `none` stays: it only
 * withholds. Ended permissions are recorded in the access: see {@link EndedPermission}. Throws `NeedsSteps` for many or
 * large accesses, unless the store is a draft.
 */
export function* endPermissions(call: Call, nodes: readonly StreamNode[], until: number): Steps<void> {
  assertMayEndPermissions(call.store)
  const streams = new Map(nodes.map(({ stream }) => [stream.id, stream.created]))
  const { accesses } = call.store
  for (let last: Access | undefined, isLast = false; !isLast;) {
    const page = accesses.listAfter(last)
    for (const access of page.accesses) endAccessPermissions(call, access, streams, until)
    last = page.accesses.at(-1)
    isLast = page.isLast
    yield
  }
}

/**
 * Throws `NeedsSteps` if there are many or large accesses, which are all read to end permissions, unless the store is a draft.
 * `times`: how often they are read.
 */
export function assertMayEndPermissions({ accesses, isDraft }: UserStore, times = 1): void {
  if (!isDraft && accesses.hasMore(maxAtOnce, times)) throw new NeedsSteps()
}

/** Maximum streams that a call adds without yielding. */
const maxStreams = 500

/** The numbers of streams that calls have added, and of those whose ids were in use before, by the changes of the call. */
const added = new WeakMap<Changes, { all: number; returned: number }>()

/**
 * Adds a stream with `add`, which does what {@link addStream} does. If one with its id was deleted before, permissions
 * on the deleted stream are ended now: earlier versions of the software left such permissions in place, and backups and
 * archives of such versions still hold them. Errors: those of `add`. Throws `NeedsSteps` once the streams that the call has
 * added take long, unless the store is a draft.
 */
export function* insertStream(
  call: Call,
  { id }: Pick<Stream, 'id'>,
  add: () => StreamNode
): Steps<StreamNode> {
  const { changes, store } = call
  const until = store.streams.getDeletionTime(id)
  const count = added.get(changes) ?? { all: 0, returned: 0 }
  added.set(changes, count)
  if (++count.all > maxStreams && !store.isDraft) throw new NeedsSteps()
  if (until !== undefined) assertMayEndPermissions(store, ++count.returned)
  const node = add()
  if (until !== undefined) yield* endOlderPermissions(call, id, until)
  return node
}

/**
 * Adds a stream whose id has never been used. Errors: those of the store for a taken id or name,
 * `invalid-operation` for too many streams.
 */
export function addStream(call: Call, stream: Stream): StreamNode {
  assertStreamsFitInMemory(call, stream)
  return call.store.streams.insert(stream)
}

/**
 * Seconds. Creation times are those of the clock; deletion times may be ahead of the clock, because they are later than
 * all earlier changes.
 */
const clockTolerance = 1

/** Ends the permissions on a deleted stream of accesses that existed when it was deleted. Only those that name it are parsed. */
function* endOlderPermissions(call: Call, streamId: string, deleted: number): Steps<void> {
  const { accesses } = call.store
  for (let last: Pick<Access, 'id' | 'name'> | undefined = { id: '', name: '' }; last;) {
    const page = accesses.listNaming(streamId, last)
    for (const { id, isNaming } of page) {
      const access = isNaming ? accesses.find(id) : undefined
      if (access && access.created < deleted - clockTolerance)
        endAccessPermissions(call, access, new Map([[streamId, access.created]]), deleted)
    }
    last = page.at(-1)
    yield
  }
}

/** Ends the permissions of one access on deleted streams. `streams`: ids with the times since when they existed. */
function endAccessPermissions(
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
  changes.addAccess(access, named(access))
  store.accesses.update({
    ...access,
    permissions,
    endedPermissions: [...(access.endedPermissions ?? []), ...ended],
    modified: store.stamp(now),
    modifiedBy: caller.versionedSignature
  })
}
