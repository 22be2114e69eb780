/** Where a stream may be put: the parent has to be there, be managed, be out of the trash and not too deep. */
import type { StreamNode } from '../storage/repositories/streams.js'
import { fail } from './errors.js'
import type { Call } from './method.js'
import { depth, isTrashed } from './stream-tree.js'
import { isSystemId } from './system-ids.js'

/**
 * The parent that a stream of `levels` levels may be put below; `undefined` for `null`, the root. Errors: `forbidden`
 * without `manage` there, `unknown-referenced-resource`, `invalid-operation`.
 */
export function placeBelow(
  { caller, core, store }: Call,
  parentId: string | null,
  levels = 1
): StreamNode | undefined {
  if (parentId !== null && isSystemId(parentId))
    fail('invalid-operation', `"${parentId}" is one of the service's own streams`)
  const parent = parentId === null ? undefined : store.streams.find(parentId)
  if (parentId !== null && !parent)
    fail('unknown-referenced-resource', `Unknown parent stream "${parentId}"`, { parentId })
  caller.must('manage', parentId ?? '*')
  if (parent && isTrashed(parent)) fail('invalid-operation', `The parent stream "${parentId}" is trashed`)
  const { streamDepth } = core.config.limits
  if ((parent ? depth(parent) : 0) + levels > streamDepth)
    fail('invalid-operation', `Streams cannot be nested deeper than ${streamDepth} levels`)
  return parent
}
