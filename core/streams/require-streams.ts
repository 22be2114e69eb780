/**
 * The streams of an event: the streams have to exist, and events cannot be added to trashed streams.
 * (docs/spec/events.md#creating)
 */
import type { UserStore } from '../../storage/user/user-store.js'
import { fail } from '../errors.js'
import { isTrashed } from './tree.js'
import type { StreamNode } from '../../storage/streams/node.js'

/** Returns the streams with these ids. Throws `unknown-referenced-resource` with the ids that do not exist. */
export function requireStreams({ streams }: UserStore, ids: readonly string[]): StreamNode[] {
  const nodes: StreamNode[] = []
  for (const id of ids) {
    const node = streams.find(id)
    if (node) nodes.push(node)
  }
  if (nodes.length < ids.length) {
    const streamIds = ids.filter(id => !streams.find(id))
    fail('unknown-referenced-resource', `Unknown streams: ${streamIds.slice(0, 10).join(', ')}`, {
      streamIds
    })
  }
  return nodes
}

/** Throws `invalid-operation` if one of these streams, or an ancestor of one, is in the trash. */
export function assertNotInTrash(nodes: readonly StreamNode[]): void {
  const trashed = nodes.find(isTrashed)
  if (trashed)
    fail('invalid-operation', `The stream "${trashed.stream.id}" is trashed`, {
      trashedReference: 'streamIds'
    })
}
