/** Where a stream may be put: the parent has to be there, be managed, be out of the trash and not too deep. */
import { fail } from '../errors.js'
import type { Call } from '../call/method.js'
import { depth, height, isTrashed, isWithin } from './tree.js'
import { isSystemId } from '../system-ids.js'
import type { StreamNode } from '../../storage/streams/node.js'

/**
 * Raises what speaks against putting a stream below a parent, or at the root (`null`): `forbidden` without `manage` there,
 * `unknown-referenced-resource`, `invalid-operation`. `moved`: the stream, with all below it, if it is not a new one.
 */
export function mustFitBelow(call: Call, parentId: string | null, moved?: StreamNode): void {
  const { caller, core, store } = call
  if (parentId !== null) mustBeOpen(call, parentId, moved)
  const parent = parentId === null ? undefined : store.streams.find(parentId)
  if (parentId !== null && !parent)
    fail('unknown-referenced-resource', `Unknown parent stream "${parentId}"`, { parentId })
  caller.must('manage', parentId ?? '*')
  if (moved && parent && isWithin(parent, moved))
    fail('invalid-operation', 'A stream cannot be moved below itself', { parentId })
  if (parent && isTrashed(parent)) fail('invalid-operation', `The parent stream "${parentId}" is trashed`)
  const { streamDepth } = core.config.limits
  if ((parent ? depth(parent) : 0) + (moved ? height(moved) : 1) > streamDepth)
    fail('invalid-operation', `Streams cannot be nested deeper than ${streamDepth} levels`)
}

/** The service's own streams take no others; below that of tags their owner may put those of tags back. */
function mustBeOpen({ core, store: { streams } }: Call, parentId: string, moved?: StreamNode): void {
  const { rootStreamId } = core.config.backwardCompatibility.tags
  const isComingBack = parentId === rootStreamId && moved && streams.isTagId(moved.stream.id)
  if (isSystemId(parentId) || (streams.isTagId(parentId) && !isComingBack))
    fail(
      'invalid-operation',
      `"${parentId}" is one of the service's own streams: nothing can be put below it`
    )
}
