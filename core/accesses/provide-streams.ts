/** Sees to the streams that an app asked for: the user has agreed to them together with the access. (docs/spec/accesses.md#creating-an-access) */
import type { Stream } from '../../schemas/stream.js'
import { insertStream } from '../streams/ended-permissions.js'
import type { RequestedPermission } from './granting.js'
import { toSlug } from '../ids.js'
import type { Call } from '../call/method.js'
import { orConflict } from '../streams/conflict.js'
import { subtree } from '../streams/tree.js'
import { isSystemId } from '../system-ids.js'
import { provideTagStream } from '../streams/tags.js'

/** For a personal access: streams named by `defaultName` are created at the root, or restored from the trash. */
export function provideStreams(call: Call, requested: readonly RequestedPermission[]): void {
  if (!call.caller.isPersonal) return
  for (const permission of requested) {
    if (!('streamId' in permission)) continue
    const { defaultName, streamId } = permission
    // Those of the service are there, under their older ids too.
    if (typeof defaultName === 'string' && streamId !== '*' && !isSystemId(streamId))
      provide(call, streamId, defaultName)
  }
}

function provide(call: Call, streamId: string, name: string): void {
  const { caller, changes, now, store } = call
  const node = store.streams.find(streamId)
  if (node && !node.stream.trashed) return
  if (!node && store.streams.isTagId(streamId)) return provideTagStream(call, streamId)
  const modified = store.stamp(now)
  const modifiedBy = caller.signature
  if (node) {
    const { trashed: _, ...rest } = node.stream
    store.streams.update({ ...rest, modified, modifiedBy })
    for (const each of subtree(node)) changes.add('streams', [each.stream.id])
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
    orConflict(store.streams, stream, () => insertStream(call, stream))
    changes.add('streams', [stream.id])
  }
}
