/** Puts a stream into the trash; deletes one that is there already, for good. (service.md, Streams; supplement 12, 26) */
import { Type, type Static } from 'typebox'
import { closed, Identifier, ItemDeletion, orNull } from '../../../schemas/scalars.js'
import { Stream } from '../../../schemas/stream.js'
import type { StreamNode } from '../../../storage/repositories/streams.js'
import { anyAccess } from '../../allow.js'
import { fail } from '../../errors.js'
import { managedStream } from '../../managed-stream.js'
import { method, type Call, type Result } from '../../method.js'
import { removeStreams } from '../../remove-streams.js'
import { atOnce, type Steps } from '../../steps.js'
import { subtree } from '../../stream-tree.js'
import { refuseParams } from '../../validation.js'

const Params = Type.Object({ id: Identifier, mergeEventsWithParent: orNull(Type.Boolean()) }, closed)

/** The stream in the trash, or the deletion with what became of the stream's events. */
export const deleteStream = method({
  id: 'streams.delete',
  params: Params,
  result: Type.Union([
    Type.Object({ stream: Stream }),
    Type.Object({
      updatedEvents: Type.Array(Type.Object({ id: Identifier, action: Type.String() })),
      streamDeletion: ItemDeletion
    })
  ]),
  mode: 'write',
  mayExceedQuota: true,
  allow: anyAccess,
  run: (call, params) => atOnce(deletion(call, params)),
  steps: {
    areMany({ events, streams }, { id }) {
      const node = streams.find(id)
      if (!node) return false
      const numbers = subtree(node).map(({ number }) => number)
      return numbers.length > few || events.hasMoreIn(numbers, few)
    },
    run: deletion
  }
})

/** Streams, and events, that are deleted at once. */
const few = 200

function* deletion(call: Call, { id, mergeEventsWithParent }: Static<typeof Params>): Steps<Result> {
  const node = managedStream(call, id)
  if (!node.stream.trashed) return { stream: yield* trash(call, node) }
  const nodes = subtree(node)
  // What lies below goes too: where a level of its own stands against that, it stays.
  for (const each of nodes) {
    if (!call.caller.mayAt('manage', each)) fail('forbidden')
    yield
  }
  const target = mergeEventsWithParent ? mergeTarget(node) : undefined
  const hasEvents = call.store.events.hasIn(nodes.map(each => each.number))
  if (hasEvents && typeof mergeEventsWithParent !== 'boolean') refuseParams([missing])
  if (hasEvents && target) call.caller.must('contribute', target.stream.id)
  return { updatedEvents: yield* removeStreams(call, nodes, target), streamDeletion: { id } }
}

const missing = {
  code: 'OBJECT_MISSING_REQUIRED_PROPERTY',
  message: 'There are events in the stream or below: "mergeEventsWithParent" has to say what becomes of them',
  path: '#/mergeEventsWithParent',
  param: 'mergeEventsWithParent'
}

function* trash({ caller, changes, now, store }: Call, node: StreamNode): Steps<Stream> {
  const { stream } = node
  const trashed: Stream = {
    ...stream,
    trashed: true,
    modified: store.stamp(now),
    modifiedBy: caller.signature
  }
  store.streams.update(trashed)
  // What lies below is in the trash with it.
  for (const each of subtree(node)) {
    changes.add('streams', [each.stream.id])
    yield
  }
  return trashed
}

function mergeTarget({ parent, stream }: StreamNode): StreamNode {
  return (
    parent ??
    fail(
      'invalid-operation',
      `"${stream.id}" is a root stream: there is no parent to merge its events with`,
      { streamId: stream.id }
    )
  )
}
