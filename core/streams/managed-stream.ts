/** The stream that a method is about to change. */
import type { Caller } from '../permissions/caller.js'
import type { Changes } from '../changes.js'
import { fail } from '../errors.js'
import type { Call } from '../call/method.js'
import type { Steps } from '../../storage/steps.js'
import { isSystemId } from '../system-ids.js'
import type { StreamNode } from '../../storage/streams/node.js'

/** Returns a stream that the caller manages. Errors: `unknown-resource`, `forbidden`; `invalid-operation` for system streams. */
export function requireManagedStream({ caller, store }: Call, id: string): StreamNode {
  if (isSystemId(id)) fail('invalid-operation', `"${id}" is a system stream`)
  const node = store.streams.find(id) ?? fail('unknown-resource', `Unknown stream "${id}"`)
  caller.must('manage', id)
  return node
}

/**
 * Refuses a change of a stream with contents that the caller may not manage, or not even see. The reason is the same
 * for streams and for events, and names none of them, so that it reveals nothing hidden.
 * (docs/spec/streams.md#deleting)
 */
export function refuseHiddenContents(): never {
  fail(
    'forbidden',
    'This access cannot see and manage everything in the stream and its substreams, so it cannot move, trash, restore or delete it. The owner of the account can',
    { code: 'hidden-contents' }
  )
}

/**
 * Throws `forbidden` unless the caller manages all of these streams: a stream and those below it, which are moved,
 * trashed, restored or deleted with it. A lower level on a single stream is enough to refuse.
 */
export function* assertManagesAll(caller: Caller, nodes: readonly StreamNode[]): Steps<void> {
  if (caller.isPersonal) return
  for (const node of nodes) {
    if (!caller.mayAt('manage', node)) refuseHiddenContents()
    yield
  }
}

/** Records a change of each of these streams, with its current path. */
export function* addAllChanges(changes: Changes, nodes: readonly StreamNode[]): Steps<void> {
  for (const { stream } of nodes) {
    changes.add('streams', [stream.id])
    yield
  }
}
