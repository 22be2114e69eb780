/** Puts an event into the trash, or deletes one that is there. (docs/spec/events.md#trashing-and-deleting) */
import { Type } from 'typebox'
import { Event } from '../../../schemas/event.js'
import { closed, Identifier, ItemDeletion } from '../../../schemas/scalars.js'
import type { EventBody } from '../../../storage/repositories/event-row.js'
import { applyValueDeletion } from '../../account/value-events.js'
import { anyAccess } from '../../auth/allow.js'
import { toPublicEvent } from '../../events/public-event.js'
import { largeSize } from '../../json/writer.js'
import { method, type Call, type Result } from '../../call/method.js'
import { requireLargeWritableEvent, requireWritableEvent } from '../../events/writable-event.js'

/** Returns the trashed event, or the record of its deletion. */
export const deleteEvent = method({
  id: 'events.delete',
  summary: 'Trash an event, or delete a trashed one',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Union([Type.Object({ event: Event }), Type.Object({ eventDeletion: ItemDeletion })]),
  mode: 'write',
  mayExceedQuota: true,
  allow: anyAccess,
  run(call, { id }) {
    const event = requireWritableEvent(call, id)
    return event.trashed ? removeEvent(call, event) : writeTrashed(call, toTrashed(call, event))
  },
  steps: {
    areMany: ({ events }, { id }) => events.isLarger(id, largeSize),
    *run(call, { id }) {
      const before = yield* requireLargeWritableEvent(call, id)
      if (before.trashed) return removeEvent(call, before)
      const event = toTrashed(call, before)
      const result = writeTrashed(call, event, yield* call.store.events.writeBody(event))
      yield
      return result
    }
  }
})

function removeEvent(call: Call, event: Event): Result {
  const { changes, now, store } = call
  applyValueDeletion(call, event)
  changes.add('events', event.streamIds)
  store.events.remove(event.id, store.stamp(now), event)
  return { eventDeletion: { id: event.id } }
}

/** The event as it is to be. */
function toTrashed(call: Call, event: Event): Event {
  const { caller, now, store } = call
  applyValueDeletion(call, event)
  return { ...event, trashed: true, modified: store.stamp(now), modifiedBy: caller.signature }
}

function writeTrashed(call: Call, event: Event, body?: EventBody): Result {
  call.changes.add('events', event.streamIds)
  return { event: toPublicEvent(call, call.store.events.update(event, body)) }
}
