/** Writes an event with other files than before; a large event in steps. (docs/spec/attachments.md) */
import type { Attachment } from '../../schemas/event.js'
import type { Steps } from '../../storage/steps.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Call } from '../call/method.js'
import type { JsonText } from '../json/json-text.js'
import { largeSize } from '../json/writer.js'
import { toPublicEvent } from './public-event.js'
import { findWritableEvent, prepareBody } from './writable-event.js'

/** Computes the new files of an event from its previous files. */
type Change = (before: readonly Attachment[]) => Attachment[]

interface EventResult {
  readonly event: JsonText
}

/**
 * Returns the `run` and `steps` of a method that changes an event's files and returns the event.
 * `createChange` is called before the event is looked up. Errors: those of {@link findWritableEvent}.
 */
export function updateFiles<P extends { readonly id: string }>(
  createChange: (call: Call, params: P) => Change
) {
  return {
    isLong: ({ events }: UserStore, { id }: P): boolean => events.isLarger(id, largeSize),
    *run(call: Call, params: P): Steps<EventResult> {
      const { caller, now, store } = call
      const change = createChange(call, params)
      const before = yield* findWritableEvent(call, params.id)
      const attachments = change(before.attachments ?? [])
      const event = { ...before, attachments, modified: store.stamp(now), modifiedBy: caller.signature }
      call.changes.addEvent(event)
      return { event: toPublicEvent(call, store.events.update(event, yield* prepareBody(call, event))) }
    }
  }
}
