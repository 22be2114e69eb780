/** Moves a stream to the trash, or deletes a trashed one permanently. (docs/spec/streams.md#deleting) */
import { Type, type Static } from 'typebox'
import { closed, Identifier, ItemDeletion, orNull } from '../../../schemas/scalars.js'
import { Stream } from '../../../schemas/stream.js'
import { anyAccess } from '../../auth/allow.js'
import { fail } from '../../errors.js'
import {
  requireManagedStream,
  assertManagesAll,
  addAllChanges,
  refuseHiddenContents
} from '../../streams/managed-stream.js'
import { assertNotSecretsStream } from '../../shared-secrets/rules.js'
import { methodInSteps, type Call, type Result } from '../../call/method.js'
import { removeStreams } from '../../streams/remove.js'
import type { Steps } from '../../../storage/steps.js'
import { hasMoreBelow, listSubtree, listSubtreeInSteps } from '../../streams/tree.js'
import { toPublicStream } from '../../streams/stream-view.js'
import { refuseParams } from '../../validation/params.js'
import type { StreamNode } from '../../../storage/streams/node.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import type { Caller } from '../../permissions/caller.js'

const Params = Type.Object({ id: Identifier, mergeEventsWithParent: orNull(Type.Boolean()) }, closed)

/**
 * Returns the trashed stream, or if it was in the trash, the deletion with the outcome for each of the
 * stream's events. All streams below share its fate; the caller must manage them all. Throws
 * `invalid-parameters-format` if there are events, and not said whether they are merged with the parent.
 */
export const deleteStream = methodInSteps({
  id: 'streams.delete',
  summary: 'Trash a stream, or delete a trashed one',
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
  run: deleteInSteps,
  isLong({ accesses, events, streams }, { id }) {
    const node = streams.find(id)
    if (!node) return false
    if (hasMoreBelow(node, maxAtOnce)) return true
    const numbers = listSubtree(node).map(({ number }) => number)
    if (events.hasMoreIn(numbers, maxAtOnce)) return true
    return node.stream.trashed === true && accesses.hasMore(maxAtOnce)
  }
})

/** Maximum streams, events and accesses that are processed without yielding. */
const maxAtOnce = 200

/**
 * Moves a stream to the trash; deletes it, with all below it, if it is there already. Checks permissions before
 * anything about events.
 */
function* deleteInSteps(call: Call, { id, mergeEventsWithParent }: Static<typeof Params>): Steps<Result> {
  assertNotSecretsStream(id)
  const node = requireManagedStream(call, id)
  const nodes = yield* listSubtreeInSteps(node)
  yield* assertManagesAll(call.caller, nodes)
  if (!node.stream.trashed) return { stream: yield* moveToTrash(call, node, nodes) }
  const numbers = nodes.map(each => each.number)
  // This is checked before anything that depends on events, so that hidden events are not revealed.
  if (yield* includesHiddenEvents(call, numbers)) refuseHiddenContents()
  const target = mergeEventsWithParent ? requireParent(node) : undefined
  const hasEvents = call.store.events.hasIn(numbers)
  if (hasEvents && typeof mergeEventsWithParent !== 'boolean') refuseParams([missingParamViolation])
  if (hasEvents && target) assertMayMergeInto(call, target)
  return { updatedEvents: yield* removeStreams(call, nodes, target), streamDeletion: { id } }
}

const missingParamViolation = {
  code: 'OBJECT_MISSING_REQUIRED_PROPERTY',
  message: 'The stream or its substreams contain events. Set "mergeEventsWithParent" to merge or delete them',
  path: '#/mergeEventsWithParent',
  param: 'mergeEventsWithParent'
}

/** Moves a stream to the trash, and with it the streams below. Returns the stream as the caller sees it. */
function* moveToTrash(
  { caller, changes, now, store }: Call,
  node: StreamNode,
  nodes: readonly StreamNode[]
): Steps<Stream> {
  const { stream } = node
  store.streams.update({
    ...stream,
    trashed: true,
    modified: store.stamp(now),
    modifiedBy: caller.signature
  })
  // Streams below are in the trash with it.
  yield* addAllChanges(changes, nodes)
  return toPublicStream(caller, node)
}

/** Throws `forbidden` unless events may be merged into the target. Only the owner may merge events into tag streams. */
function assertMayMergeInto({ caller, store: { streams } }: Call, { stream: { id } }: StreamNode): void {
  caller.must('contribute', id)
  if (!caller.isPersonal && streams.isTagId(id)) fail('forbidden')
}

/** Returns the parent. Throws `invalid-operation` for a root stream. */
function requireParent({ parent, stream }: StreamNode): StreamNode {
  return (
    parent ??
    fail(
      'invalid-operation',
      `"${stream.id}" is a root stream, so its events cannot be merged with a parent`,
      { streamId: stream.id }
    )
  )
}

/** The caller, and the store to search. */
interface Search {
  readonly caller: Caller
  readonly store: UserStore
}

/**
 * Returns whether any event in these streams is hidden from the caller by another of its streams. Those in
 * the trash count. In steps.
 */
function* includesHiddenEvents(
  { caller, store: { events } }: Search,
  streams: readonly number[]
): Steps<boolean> {
  const { visibility } = caller
  if (visibility.everything || visibility.closed.size === 0) return false
  const run = events.query({
    streams: [{ any: new Set(streams), all: [visibility.closed], not: new Set() }],
    isRunning: false,
    trashed: [0, 1],
    order: 'DESC',
    skip: 0,
    limit: 1,
    present: body => body
  })
  for (;;) {
    const { count, done } = events.next(run)
    if (count > 0 || done) return count > 0
    yield
  }
}
