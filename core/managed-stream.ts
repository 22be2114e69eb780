/** The stream that a method is about to change. */
import type { StreamNode } from '../storage/repositories/streams.js'
import { fail } from './errors.js'
import type { Call } from './method.js'
import { isSystemId } from './system-ids.js'

/** A stream that the caller manages. Errors: `unknown-resource`, `forbidden`; `invalid-operation` for the service's own. */
export function managedStream({ caller, store }: Call, id: string): StreamNode {
  if (isSystemId(id)) fail('invalid-operation', `"${id}" is one of the service's own streams`)
  const node = store.streams.find(id) ?? fail('unknown-resource', `Unknown stream "${id}"`)
  caller.must('manage', id)
  return node
}
