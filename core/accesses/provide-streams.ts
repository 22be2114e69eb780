/** Creates or restores the streams that an app asked for: the user has approved them together with the access. (docs/spec/accesses.md#creating-an-access) */
import type { Stream } from '../../schemas/stream.js'
import { addStream, insertStream } from '../streams/ended-permissions.js'
import type { RequestedPermission } from './granting.js'
import { toSlug } from '../ids.js'
import type { Call } from '../call/method.js'
import { writeStream } from '../streams/write-stream.js'
import { addAllChanges } from '../streams/managed-stream.js'
import { listSubtreeInSteps } from '../streams/tree.js'
import type { Steps } from '../../storage/steps.js'
import { isCmcId } from '../cmc-ids.js'
import { isSystemId } from '../system-ids.js'
import { provideTagStream } from '../streams/tags.js'

/**
 * Creates streams named by `defaultName` at the root, or restores them from the trash, for a personal access;
 * missing streams of tags are created under the service's own names. Does nothing for other accesses. Errors:
 * `item-already-exists` for a name in use, `invalid-operation` for too many streams.
 */
export function* provideStreams(call: Call, requested: readonly RequestedPermission[]): Steps<void> {
  if (!call.caller.isPersonal) return
  for (const permission of requested) {
    if (!('streamId' in permission)) continue
    const { defaultName, level, streamId } = permission
    const { streams } = call.store
    if (streams.isTagId(streamId)) {
      if (level !== 'none' && !streams.find(streamId)) yield* provideTagStream(call, streamId)
      continue
    }
    // System streams always exist, also under their older ids. Streams for consent are created with names that the service chooses.
    if (typeof defaultName === 'string' && streamId !== '*' && !isSystemId(streamId) && !isCmcId(streamId))
      yield* provideStream(call, streamId, defaultName)
  }
}

/** Creates a stream at the root, or restores it from the trash; does nothing if it exists outside of the trash. */
function* provideStream(call: Call, streamId: string, name: string): Steps<void> {
  const { caller, changes, now, store } = call
  const node = store.streams.find(streamId)
  if (node && !node.stream.trashed) return
  const modified = store.stamp(now)
  const modifiedBy = caller.signature
  if (node) {
    const { trashed: _, ...rest } = node.stream
    store.streams.update({ ...rest, modified, modifiedBy })
    yield* addAllChanges(changes, yield* listSubtreeInSteps(node))
  } else {
    const stream: Stream = {
      id: toSlug(streamId),
      name,
      parentId: null,
      created: modified,
      createdBy: modifiedBy,
      modified,
      modifiedBy
    }
    yield* insertStream(call, stream, () => writeStream(store.streams, stream, () => addStream(call, stream)))
    changes.add('streams', [stream.id])
    yield
  }
}
