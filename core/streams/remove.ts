/** Removes streams with all below them, and sees to their events. (docs/spec/streams.md#deleting) */
import type { Event } from '../../schemas/event.js'
import type { Settled } from '../../storage/repositories/emptied-streams.js'
import type { Steps } from '../../storage/steps.js'
import { endPermissions } from './ended-permissions.js'
import { listed, type Listing } from '../json/json-text.js'
import type { Call } from '../call/method.js'
import { tagged } from './tags.js'
import type { StreamNode } from '../../storage/streams/node.js'

type Action = 'mergedToParent' | 'updatedStreamIds' | 'deleted'

/**
 * Removes a stream and those below it (`nodes`, each after the one above it), and what was granted on them. Their events move to `target`; without one
 * they lose the removed streams and are deleted if they are in no other. Answers what became of each event.
 */
export function* removeStreams(
  call: Call,
  nodes: readonly StreamNode[],
  target: StreamNode | undefined
): Steps<Listing<unknown>> {
  const { changes, now, store } = call
  const removed = nodes.map(({ stream }) => stream.id)
  for (const id of removed) {
    changes.add('streams', [id])
    yield
  }
  const fates = new Fates(call, new Set(removed), target?.stream.id)
  yield* store.events.empty({
    from: nodes.map(({ number }) => number),
    to: target?.number,
    settle: event => fates.settle(event)
  })
  const at = store.stamp(now)
  yield* endPermissions(call, nodes, at)
  for (const id of removed.toReversed()) {
    store.streams.remove(id, at)
    yield
  }
  return listed(fates.texts)
}

/** What becomes of the events of removed streams. */
class Fates {
  /** JSON texts: there may be very many. */
  readonly texts: string[] = []
  readonly #told = new Set<string>()

  constructor(
    private readonly call: Call,
    private readonly removed: ReadonlySet<string>,
    private readonly target: string | undefined
  ) {}

  settle(event: Event): Settled {
    const { caller, core, now, store } = this.call
    const kept = event.streamIds.map(id => (this.removed.has(id) ? this.target : id))
    const streamIds = [...new Set(kept.filter(id => id !== undefined))]
    const [streamId] = streamIds
    const modified = store.stamp(now)
    this.#tell(event.streamIds)
    if (streamId === undefined) {
      this.#note(event.id, 'deleted')
      return { deleted: modified }
    }
    this.#tell(streamIds)
    this.#note(event.id, this.target === undefined ? 'updatedStreamIds' : 'mergedToParent')
    return tagged(core, { ...event, streamIds, streamId, modified, modifiedBy: caller.signature })
  }

  #note(id: string, action: Action): void {
    this.texts.push(`{"id":${JSON.stringify(id)},"action":"${action}"}`)
  }

  /** Most events are in the same streams as others before them, which have been told of. */
  #tell(streamIds: readonly string[]): void {
    const key = streamIds.join(' ')
    if (this.#told.has(key)) return
    this.#told.add(key)
    this.call.changes.add('events', streamIds)
  }
}
