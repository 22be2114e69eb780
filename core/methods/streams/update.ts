/** Changes, moves, trashes or restores one stream. (docs/spec/streams.md#updating) */
import { Type, type Static } from 'typebox'
import { closed, Identifier, KeyValue, orNull } from '../../../schemas/scalars.js'
import { Stream } from '../../../schemas/stream.js'
import { measureKey, readMeasureMark } from '../../../schemas/measures/measure.js'
import { anyAccess } from '../../auth/allow.js'
import { mergeLimitedClientData } from '../../validation/client-data.js'
import { fail } from '../../errors.js'
import { methodInSteps, type Call } from '../../call/method.js'
import { acceptProtectedFields, refuseProtected, trackingFields } from '../../validation/protected-fields.js'
import { requireManagedStream, assertManagesAll, addAllChanges } from '../../streams/managed-stream.js'
import { writeStream } from '../../streams/write-stream.js'
import { assertParent, assertStreamsFitInMemory } from '../../streams/placement.js'
import { assertNotSecretsStream } from '../../shared-secrets/rules.js'
import type { Steps } from '../../../storage/steps.js'
import { hasMoreBelow, listSubtreeInSteps } from '../../streams/tree.js'
import { assertName } from '../../validation/params.js'
import { toPublicStream } from '../../streams/stream-view.js'
import type { StreamNode } from '../../../storage/streams/node.js'

/** Fields that only the service sets. */
const readOnlyFields = ['id', 'children', ...trackingFields] as const

const Params = Type.Object(
  {
    id: Identifier,
    update: Type.Object(
      {
        name: Type.Optional(Stream.properties.name),
        parentId: orNull(Identifier),
        clientData: orNull(KeyValue),
        trashed: orNull(Type.Boolean()),
        ...acceptProtectedFields(readOnlyFields)
      },
      closed
    )
  },
  closed
)
type Params = Static<typeof Params>

/** Maximum streams below that are processed without yielding. */
const maxAtOnce = 200

/**
 * Returns the changed stream, without its children. To move, trash or restore it, the caller must manage all
 * streams below.
 */
export const update = methodInSteps({
  id: 'streams.update',
  summary: 'Update or move a stream',
  params: Params,
  result: Type.Object({ stream: Stream }),
  mode: 'write',
  allow: anyAccess,
  run: updateInSteps,
  isLong({ streams }, { id, update: given }) {
    const { parentId, trashed } = Object(given) as Partial<Params['update']>
    if (parentId === undefined && trashed === undefined) return false
    const node = streams.find(id)
    return node !== undefined && hasMoreBelow(node, maxAtOnce)
  }
})

/**
 * Updates a stream and returns it as the caller sees it. Moving, trashing and restoring also need `manage` on all
 * streams below.
 */
function* updateInSteps(call: Call, { id, update: given }: Params): Steps<{ stream: Stream }> {
  assertNotSecretsStream(id, given.parentId)
  const { caller, changes, now, store } = call
  const node = requireManagedStream(call, id)
  refuseProtected(call, readOnlyFields, given)
  const { name, parentId, trashed } = given
  const before = node.stream
  if (name !== undefined && name !== before.name) assertName(name, '#/update/name')
  // A caller who may not see the parent is shown the root. Naming either counts as a move, so that no guess reveals the parent.
  const places = [before.parentId, toPublicStream(caller, node).parentId]
  const isMoving = parentId !== undefined && places.some(place => place !== parentId)
  const isTrashing = trashed !== undefined && (trashed === true) !== (before.trashed === true)
  // The streams below move with the stream, also into the trash and out of it.
  const nodes = isMoving || isTrashing ? yield* listSubtreeInSteps(node) : [node]
  if (isMoving || isTrashing) yield* assertManagesAll(caller, nodes)
  if (isMoving) assertMayMove(call, node, parentId)
  const { clientData: oldData, trashed: wasTrashed, ...rest } = before
  const clientData = mergeLimitedClientData(call, oldData, omitShownMark(call, node, given.clientData))
  const stream: Stream = {
    ...rest,
    ...(name !== undefined && { name }),
    ...(isMoving && { parentId }),
    ...(clientData && { clientData }),
    ...((trashed === undefined ? wasTrashed : trashed) && { trashed: true }),
    modified: store.stamp(now),
    modifiedBy: caller.signature
  }
  yield* addAllChanges(changes, nodes)
  assertStreamsFitInMemory(call, stream, before)
  writeStream(store.streams, stream, () => store.streams.update(stream), node)
  if (isMoving) yield* addAllChanges(changes, nodes)
  return { stream: toPublicStream(caller, node) }
}

/** Returns client data of a caller without the mark of a hidden stream above, which it was shown: many send back what they got. */
function omitShownMark(
  { caller }: Call,
  node: StreamNode,
  given: Params['update']['clientData']
): Params['update']['clientData'] {
  if (!given || readMeasureMark(node.stream.clientData) !== undefined) return given
  const { [measureKey]: mark, ...rest } = given
  const shown = readMeasureMark(toPublicStream(caller, node).clientData)
  return mark !== undefined && mark === shown ? rest : given
}

/**
 * Throws unless a stream, with all below it, may be moved to another parent: `invalid-operation` for the root
 * of tags, and the errors of {@link assertParent}.
 */
function assertMayMove(call: Call, node: StreamNode, parentId: string | null): void {
  const { id } = node.stream
  if (id === call.services.config.backwardCompatibility.tags.rootStreamId && call.store.streams.isTagId(id))
    fail('invalid-operation', `"${id}" is a system stream and cannot be moved`)
  assertParent(call, parentId, node)
}
