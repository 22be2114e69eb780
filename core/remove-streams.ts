/** Removes streams with all below them, and sees to their events. (service.md, Rules for permanent stream deletion) */
import type { Event } from '../schemas/event.js'
import type { StreamNode } from '../storage/repositories/streams.js'
import { JsonText } from './json.js'
import type { Call } from './method.js'

/** Events looked at together. */
const pageSize = 500

/**
 * Removes a stream and those below it (`nodes`, each after the one above it). Their events move to `target`; without one
 * they lose the removed streams and are deleted if they are in no other. Answers what became of each event.
 */
export function removeStreams(
  call: Call,
  nodes: readonly StreamNode[],
  target: StreamNode | undefined
): JsonText {
  const { changes, now, store } = call
  const updated = settleEvents(call, nodes, target)
  const at = store.stamp(now)
  for (const { stream } of nodes.toReversed()) store.streams.remove(stream.id, at)
  const parent = nodes[0]!.stream.parentId
  const removed = nodes.map(({ stream }) => stream.id)
  // The streams are gone when this is told: who sees the stream above may hear of it too.
  const concerned = parent === null ? removed : [...removed, parent]
  changes.add('streams', concerned)
  if (updated.length > 0) changes.add('events', concerned)
  return new JsonText(`[${updated.join(',')}]`)
}

/** Answers JSON texts: there may be very many. */
function settleEvents(call: Call, nodes: readonly StreamNode[], target: StreamNode | undefined): string[] {
  const { events } = call.store
  const numbers = nodes.map(({ number }) => number)
  const removed = new Set(nodes.map(({ stream }) => stream.id))
  const updated: string[] = []
  const seen = new Set<string>()
  for (let page = events.pageIn(numbers, undefined, pageSize); ;) {
    for (const event of page.events) {
      // An event comes once for each of the streams it is in.
      if (seen.has(event.id)) continue
      seen.add(event.id)
      const action = settle(call, event, removed, target?.stream.id)
      updated.push(`{"id":${JSON.stringify(event.id)},"action":"${action}"}`)
    }
    if (!page.next) return updated
    page = events.pageIn(numbers, page.next, pageSize)
  }
}

function settle(
  { caller, changes, now, store }: Call,
  event: Event,
  removed: ReadonlySet<string>,
  target: string | undefined
): 'mergedToParent' | 'updatedStreamIds' | 'deleted' {
  const ids = event.streamIds.map(id => (removed.has(id) ? target : id))
  const streamIds = [...new Set(ids.filter(id => id !== undefined))]
  const modified = store.stamp(now)
  if (streamIds.length === 0) {
    store.events.remove(event.id, modified)
    return 'deleted'
  }
  const streamId = streamIds[0]!
  store.events.update({ ...event, streamIds, streamId, modified, modifiedBy: caller.signature })
  changes.add('events', streamIds)
  return target === undefined ? 'updatedStreamIds' : 'mergedToParent'
}
