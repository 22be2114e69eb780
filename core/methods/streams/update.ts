/** Changes, moves, trashes or restores one stream. (docs/spec/streams.md#updating) */
import { Type } from 'typebox'
import { closed, Identifier, KeyValue, orNull } from '../../../schemas/scalars.js'
import { Stream } from '../../../schemas/stream.js'
import { anyAccess } from '../../auth/allow.js'
import { mergedClientData } from '../../validation/client-data.js'
import { fail } from '../../errors.js'
import { method, type Call } from '../../call/method.js'
import { protectedFields, refuseProtected, trackingFields } from '../../validation/protected-fields.js'
import { managedStream, mustManageAll } from '../../streams/managed.js'
import { orConflict } from '../../streams/conflict.js'
import { mustFitBelow } from '../../streams/place.js'
import { atOnce } from '../../../storage/steps.js'
import { subtree } from '../../streams/tree.js'
import { shownStream } from '../../streams/view.js'
import type { StreamNode } from '../../../storage/streams/node.js'

/** Fields that only the service sets. */
const readOnly = ['id', 'children', ...trackingFields] as const

/** The stream as changed, without its children. */
export const update = method({
  id: 'streams.update',
  summary: 'Change or move a stream',
  params: Type.Object(
    {
      id: Identifier,
      update: Type.Object(
        {
          name: Type.Optional(Stream.properties.name),
          parentId: orNull(Identifier),
          clientData: orNull(KeyValue),
          trashed: orNull(Type.Boolean()),
          ...protectedFields(readOnly)
        },
        closed
      )
    },
    closed
  ),
  result: Type.Object({ stream: Stream }),
  mode: 'write',
  allow: anyAccess,
  run(call, { id, update: given }) {
    const { caller, changes, now, store } = call
    const node = managedStream(call, id)
    refuseProtected(call, readOnly, given)
    const { name, parentId, trashed } = given
    const before = node.stream
    // Who may not see the parent does not find out by naming it.
    const places = [before.parentId, shownStream(caller, node).parentId]
    const isMoving = parentId !== undefined && places.some(place => place !== parentId)
    const isTurning = trashed !== undefined && (trashed === true) !== (before.trashed === true)
    // What lies below goes along, into the trash and out of it too.
    if (isMoving || isTurning) atOnce(mustManageAll(caller, subtree(node)))
    if (isMoving) mustFit(call, node, parentId)
    const { clientData: oldData, trashed: wasTrashed, ...rest } = before
    const clientData = mergedClientData(call, oldData, given.clientData)
    const stream: Stream = {
      ...rest,
      ...(name !== undefined && { name }),
      ...(isMoving && { parentId }),
      ...(clientData && { clientData }),
      ...((trashed === undefined ? wasTrashed : trashed) && { trashed: true }),
      modified: store.stamp(now),
      modifiedBy: caller.signature
    }
    const nodes = isMoving || isTurning ? subtree(node) : [node]
    const note = (): void => nodes.forEach(each => changes.add('streams', [each.stream.id]))
    note()
    orConflict(store.streams, stream, () => store.streams.update(stream), node)
    if (isMoving) note()
    return { stream: shownStream(caller, node) }
  }
})

/** Raises what speaks against moving a stream, with all below it, to another parent. */
function mustFit(call: Call, node: StreamNode, parentId: string | null): void {
  const { id } = node.stream
  if (id === call.core.config.backwardCompatibility.tags.rootStreamId && call.store.streams.isTagId(id))
    fail('invalid-operation', `"${id}" is one of the service's own streams: it stays where it is`)
  mustFitBelow(call, parentId, node)
}
