/** Removes streams with all below them, and updates or deletes their events. (docs/spec/streams.md#deleting) */
import type { Event } from '../../schemas/event.js'
import type { EventOutcome } from '../../storage/repositories/empty-streams.js'
import type { Steps } from '../../storage/steps.js'
import { createRemovalWork } from './removal-work.js'
import { endPermissions } from './ended-permissions.js'
import { listTexts, type Listing } from '../json/json-text.js'
import type { Call } from '../call/method.js'
import { addTags } from './tags.js'
import type { StreamNode } from '../../storage/streams/node.js'

type Action = 'mergedToParent' | 'updatedStreamIds' | 'deleted'

/**
 * Removes a stream and those below it (`nodes`, parents first), and the permissions on them. Their events move to
 * `target`; without `target` they lose the removed streams, and are deleted if they are in no other stream. Returns the
 * outcome for each event.
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
  const outcomes = new OutcomeRecorder(call, new Set(removed), target?.stream.id)
  yield* store.events.empty({
    from: nodes.map(({ number }) => number),
    to: target?.number,
    decide: event => outcomes.resolve(event)
  })
  const at = store.stamp(now)
  yield* endPermissions(call, nodes, at)
  for (const id of removed.toReversed()) {
    store.streams.remove(id, at)
    yield
  }
  return listTexts(outcomes.texts)
}

/** Decides the outcome for each event of removed streams. */
class OutcomeRecorder {
  /** The outcomes as JSON texts, since they may be very many. */
  readonly texts: string[] = []
  readonly #announced = new Set<string>()
  readonly #addWork: (id: string) => void

  constructor(
    private readonly call: Call,
    private readonly removed: ReadonlySet<string>,
    private readonly target: string | undefined
  ) {
    this.#addWork = createRemovalWork(call.store)
  }

  /**
   * Returns what becomes of an event: a deletion, or the event in its other streams or in the target. Records its
   * outcome and announces the change. Throws `NeedsSteps` once the events so far take long, unless the store is a draft.
   */
  resolve(event: Event): EventOutcome {
    const { caller, services, now, store } = this.call
    this.#addWork(event.id)
    const places = event.streamIds.map(id => (this.removed.has(id) ? this.target : id))
    const streamIds = [...new Set(places.filter(id => id !== undefined))]
    const [streamId] = streamIds
    const modified = store.stamp(now)
    this.#announce(event)
    if (streamId === undefined) {
      this.#record(event.id, 'deleted')
      return { deleted: modified }
    }
    this.#record(event.id, this.target === undefined ? 'updatedStreamIds' : 'mergedToParent')
    const kept = addTags(services, {
      ...event,
      streamIds,
      streamId,
      modified,
      modifiedBy: caller.signature
    })
    this.#announce(kept)
    return kept
  }

  #record(id: string, action: Action): void {
    this.texts.push(`{"id":${JSON.stringify(id)},"action":"${action}"}`)
  }

  /**
   * Announces a state of an event. Of very many events, only each combination of streams is announced, which most share
   * with earlier events.
   */
  #announce(event: Event): void {
    const { changes } = this.call
    if (changes.isAnywhere('events')) return
    const key = event.streamIds.join(' ')
    if (changes.hasManyEvents && this.#announced.has(key)) return
    this.#announced.add(key)
    changes.addEvent(event)
  }
}
