/** Changes, moves, trashes or restores one stream. (service.md, Streams; supplement 12, 26) */
import { Type } from 'typebox'
import { closed, Identifier, KeyValue, orNull } from '../../../schemas/scalars.js'
import { Stream } from '../../../schemas/stream.js'
import type { StreamNode } from '../../../storage/repositories/streams.js'
import { anyAccess } from '../../allow.js'
import { mergedClientData } from '../../client-data.js'
import { fail } from '../../errors.js'
import { method, type Call } from '../../method.js'
import { protectedFields, refuseProtected, trackingFields } from '../../protected-fields.js'
import { managedStream } from '../../managed-stream.js'
import { orConflict } from '../../stream-conflict.js'
import { placeBelow } from '../../stream-place.js'
import { height, isWithin, subtree } from '../../stream-tree.js'

/** Fields that only the service sets. */
const readOnly = ['id', 'children', ...trackingFields] as const

/** The stream as changed, without its children. */
export const update = method({
  id: 'streams.update',
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
    const isMoving = parentId !== undefined && parentId !== before.parentId
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
    changes.add('streams', [id])
    orConflict(store.streams, stream, () => store.streams.update(stream), node)
    changes.add('streams', [id])
    // What lies below goes into the trash, or comes back, with it.
    if (stream.trashed !== before.trashed)
      for (const below of subtree(node)) changes.add('streams', [below.stream.id])
    return { stream }
  }
})

/** Raises what speaks against moving a stream, with all below it, to another parent. */
function mustFit(call: Call, node: StreamNode, parentId: string | null): void {
  const parent = parentId === null ? undefined : call.store.streams.find(parentId)
  if (parent && isWithin(parent, node))
    fail('invalid-operation', 'A stream cannot be moved below itself', { parentId })
  placeBelow(call, parentId, height(node))
}
