/** Writes an event with other files than before; a large one in steps. (docs/spec/attachments.md) */
import type { Attachment, Event } from '../../schemas/event.js'
import type { EventBody } from '../../storage/repositories/event-row.js'
import type { Steps } from '../../storage/steps.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Call } from '../call/method.js'
import type { JsonText } from '../json/json-text.js'
import { largeSize } from '../json/writer.js'
import { toPublicEvent } from './public-event.js'
import { requireLargeWritableEvent, requireWritableEvent } from './writable-event.js'

/** The files of an event from those before. */
type Change = (before: readonly Attachment[]) => Attachment[]

interface EventResult {
  readonly event: JsonText
}

/**
 * What a method does that changes an event's files: it returns the event. `changeFor` is asked before the event is looked up.
 */
export function updateFiles<P extends { readonly id: string }>(
  createChange: (call: Call, params: P) => Change
) {
  return {
    run(call: Call, params: P): EventResult {
      const change = createChange(call, params)
      return writeEvent(call, changeFiles(call, requireWritableEvent(call, params.id), change))
    },
    steps: {
      areMany: ({ events }: UserStore, { id }: P): boolean => events.isLarger(id, largeSize),
      *run(call: Call, params: P): Steps<EventResult> {
        const change = createChange(call, params)
        const event = changeFiles(call, yield* requireLargeWritableEvent(call, params.id), change)
        const result = writeEvent(call, event, yield* call.store.events.writeBody(event))
        // SQLite has copied all of it, and is going to do so again when it commits.
        yield
        return result
      }
    }
  }
}

function changeFiles({ caller, now, store }: Call, before: Event, change: Change): Event {
  const attachments = change(before.attachments ?? [])
  return { ...before, attachments, modified: store.stamp(now), modifiedBy: caller.signature }
}

function writeEvent(call: Call, event: Event, body?: EventBody): EventResult {
  call.changes.add('events', event.streamIds)
  return { event: toPublicEvent(call, call.store.events.update(event, body)) }
}
