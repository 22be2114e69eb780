/** Makes sure that the streams of received data exist, and are not in the trash. */
import type { StreamDraft } from '../../imports/protocol.js'
import type { Steps } from '../../storage/steps.js'
import type { StreamNode } from '../../storage/streams/node.js'
import type { Call, UserMethod } from '../call/method.js'
import { createMissingStreams } from '../imports/create-streams.js'
import { addAllChanges } from '../streams/managed-stream.js'
import { isTrashed, iterateAncestors, listSubtreeInSteps } from '../streams/tree.js'

/** The streams that data of a type is stored in. */
interface NeededStreams {
  readonly path: readonly StreamDraft[]
  readonly type: string
  readonly parentId: string | null
}

/**
 * Creates the streams of a path that the user has deleted or that do not exist yet, and restores those in the
 * trash: the app that sends the data cannot be told, and would lose it. The caller must be able to manage the
 * streams. Returns the ids of created streams. A path whose parent does not exist begins at the top. Error:
 * `invalid-operation` if there would be too many streams, or too deep ones.
 */
export function* ensureStreams(
  call: Call,
  createStream: UserMethod,
  { parentId: wanted, path, type }: NeededStreams
): Steps<string[]> {
  const { streams } = call.store
  const parentId = wanted !== null && streams.find(wanted) ? wanted : null
  const ids = [...path.map(({ id }) => id).toReversed(), ...(parentId === null ? [] : [parentId])]
  const existing = ids.map(id => streams.find(id)).find(node => node !== undefined)
  if (existing) yield* restoreStream(call, existing)
  return yield* createMissingStreams(call, createStream, { path, type, parentId })
}

/** Restores a stream and its ancestors from the trash, if they are in it. */
export function* restoreStream(call: Call, node: StreamNode): Steps<void> {
  if (!isTrashed(node)) return
  const { caller, changes, now, store } = call
  const all = Array.from(iterateAncestors(node), ({ stream }) => stream)
  for (const stream of all.filter(({ trashed }) => trashed)) {
    const { trashed: _trashed, ...rest } = stream
    store.streams.update({ ...rest, modified: store.stamp(now), modifiedBy: caller.signature })
    yield* addAllChanges(changes, yield* listSubtreeInSteps(store.streams.find(stream.id)!))
  }
}
