/**
 * Checks where a stream may be placed: the parent has to exist, be managed by the caller, not be trashed, and not be
 * too deep.
 */
import { fail } from '../errors.js'
import type { Call } from '../call/method.js'
import { getDepth, getHeight, isTrashed, isWithin } from './tree.js'
import { isFollowedId, isSystemId } from '../system-ids.js'
import { hasNamesake } from './write-stream.js'
import type { Stream } from '../../schemas/stream.js'
import type { StreamNode } from '../../storage/streams/node.js'

/**
 * Checks that a stream may be placed below a parent, or at the root (`null`). Throws `forbidden` unless the caller
 * manages the parent, `unknown-referenced-resource` for an unknown parent, otherwise `invalid-operation`. `moved`: the
 * stream, unless new.
 */
export function assertParent(call: Call, parentId: string | null, moved?: StreamNode): void {
  const { caller, services, store } = call
  if (parentId !== null) assertParentAccepts(call, parentId, moved)
  const parent = parentId === null ? undefined : store.streams.find(parentId)
  if (parentId !== null && !parent)
    fail('unknown-referenced-resource', `Unknown parent stream "${parentId}"`, { parentId })
  caller.must('manage', parentId ?? '*')
  if (moved && parent && isWithin(parent, moved))
    fail('invalid-operation', 'A stream cannot be moved into itself', { parentId })
  if (parent && isTrashed(parent)) fail('invalid-operation', `The parent stream "${parentId}" is trashed`)
  const depth = (parent ? getDepth(parent) : 0) + (moved ? getHeight(moved) : 1)
  if (depth > services.config.limits.streamDepth) refuseDepth(call)
}

/** Throws `invalid-operation` for a stream that would be too deep. */
export function refuseDepth({ services }: Pick<Call, 'services'>): never {
  fail(
    'invalid-operation',
    `Streams cannot be nested deeper than ${services.config.limits.streamDepth} levels`
  )
}

/**
 * Throws `invalid-operation` if a stream that is about to be written would make an account's streams exceed the memory limit. Copies of other people's streams have a limit of their own, as large. Above the limit, a stream may still change (from `before`), but not grow.
 */
export function assertStreamsFitInMemory({ services, store }: Call, stream: Stream, before?: Stream): void {
  const { streamsBytes } = services.config.limits
  const { copiedTextLength, ownTextLength } = store.streams
  const others = (isFollowedId(stream.id) ? copiedTextLength : ownTextLength) - getLength(before)
  if (others + getLength(stream) <= streamsBytes || (before && getOwnLength(stream) <= getOwnLength(before)))
    return
  // An id or name that is taken is refused as such by the write: clients create their streams at each start.
  if (!before && (store.streams.find(stream.id) || hasNamesake(store.streams, stream))) return
  fail('invalid-operation', `The streams of an account can have at most ${streamsBytes} characters together`)
}

function getLength(stream?: Stream): number {
  return stream ? JSON.stringify(stream).length : 0
}

/** Returns the length of a stream's own data; the service's data is small. */
function getOwnLength({ clientData, name }: Stream): number {
  return JSON.stringify([name, clientData]).length
}

/**
 * Throws `invalid-operation` for a parent that is a system stream or a tag stream; only the root of tags
 * takes tag streams back.
 */
function assertParentAccepts(
  { services, store: { streams } }: Call,
  parentId: string,
  moved?: StreamNode
): void {
  const { rootStreamId } = services.config.backwardCompatibility.tags
  const isReturning = parentId === rootStreamId && moved && streams.isTagId(moved.stream.id)
  if (isSystemId(parentId) || (streams.isTagId(parentId) && !isReturning))
    fail('invalid-operation', `"${parentId}" is a system stream and cannot have substreams`)
}
