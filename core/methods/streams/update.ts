/** Changes, moves, trashes or restores one stream. (docs/spec/streams.md#updating) */
import { Type, type Static } from 'typebox'
import { closed, Identifier, KeyValue, orNull } from '../../../schemas/scalars.js'
import { Stream } from '../../../schemas/stream.js'
import { anyAccess } from '../../auth/allow.js'
import { modestClientData } from '../../validation/client-data.js'
import { fail } from '../../errors.js'
import { methodInSteps, type Call } from '../../call/method.js'
import { protectedFields, refuseProtected, trackingFields } from '../../validation/protected-fields.js'
import { managedStream, assertManagesAll, noteAll } from '../../streams/managed.js'
import { orConflict } from '../../streams/conflict.js'
import { assertParent, assertStreamsFitInMemory } from '../../streams/place.js'
import type { Steps } from '../../../storage/steps.js'
import { hasMoreBelow, subtreeInSteps } from '../../streams/tree.js'
import { assertName } from '../../validation/params.js'
import { shownStream } from '../../streams/view.js'
import type { StreamNode } from '../../../storage/streams/node.js'

/** Fields that only the service sets. */
const readOnly = ['id', 'children', ...trackingFields] as const

const Params = Type.Object(
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
)
type Params = Static<typeof Params>

/** Streams that go along, for which a change is made at once. */
const few = 200

/** Returns the changed stream, without its children. */
export const update = methodInSteps({
  id: 'streams.update',
  summary: 'Change or move a stream',
  params: Params,
  result: Type.Object({ stream: Stream }),
  mode: 'write',
  allow: anyAccess,
  run: change,
  isLong({ streams }, { id, update: given }) {
    const { parentId, trashed } = Object(given) as Partial<Params['update']>
    if (parentId === undefined && trashed === undefined) return false
    const node = streams.find(id)
    return node !== undefined && hasMoreBelow(node, few)
  }
})

function* change(call: Call, { id, update: given }: Params): Steps<{ stream: Stream }> {
  const { caller, changes, now, store } = call
  const node = managedStream(call, id)
  refuseProtected(call, readOnly, given)
  const { name, parentId, trashed } = given
  const before = node.stream
  if (name !== undefined && name !== before.name) assertName(name, '#/update/name')
  // Who may not see the parent does not find out by naming it.
  const places = [before.parentId, shownStream(caller, node).parentId]
  const isMoving = parentId !== undefined && places.some(place => place !== parentId)
  const isTurning = trashed !== undefined && (trashed === true) !== (before.trashed === true)
  // What lies below goes along, into the trash and out of it too.
  const nodes = isMoving || isTurning ? yield* subtreeInSteps(node) : [node]
  if (isMoving || isTurning) yield* assertManagesAll(caller, nodes)
  if (isMoving) assertMayMove(call, node, parentId)
  const { clientData: oldData, trashed: wasTrashed, ...rest } = before
  const clientData = modestClientData(call, oldData, given.clientData)
  const stream: Stream = {
    ...rest,
    ...(name !== undefined && { name }),
    ...(isMoving && { parentId }),
    ...(clientData && { clientData }),
    ...((trashed === undefined ? wasTrashed : trashed) && { trashed: true }),
    modified: store.stamp(now),
    modifiedBy: caller.signature
  }
  yield* noteAll(changes, nodes)
  orConflict(store.streams, stream, () => store.streams.update(stream), node)
  assertStreamsFitInMemory(call, stream, before)
  if (isMoving) yield* noteAll(changes, nodes)
  return { stream: shownStream(caller, node) }
}

/** Throws unless a stream, with all below it, may be moved to another parent. */
function assertMayMove(call: Call, node: StreamNode, parentId: string | null): void {
  const { id } = node.stream
  if (id === call.services.config.backwardCompatibility.tags.rootStreamId && call.store.streams.isTagId(id))
    fail('invalid-operation', `"${id}" is one of the service's own streams: it stays where it is`)
  assertParent(call, parentId, node)
}
