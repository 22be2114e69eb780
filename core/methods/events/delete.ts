/** Puts an event into the trash, or deletes one that is there. (docs/spec/events.md#trashing-and-deleting) */
import { Type } from 'typebox'
import { Event } from '../../../schemas/event.js'
import { closed, Identifier, ItemDeletion } from '../../../schemas/scalars.js'
import type { EventBody } from '../../../storage/repositories/event-row.js'
import { settleDeletion } from '../../account/value-events.js'
import { anyAccess } from '../../auth/allow.js'
import { shown } from '../../events/view.js'
import { largeSize } from '../../json/writer.js'
import { method, type Call, type Result } from '../../call/method.js'
import { largeWritableEvent, writableEvent } from '../../events/writable.js'

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
    const event = writableEvent(call, id)
    return event.trashed ? removed(call, event) : trashed(call, inTrash(call, event))
  },
  steps: {
    areMany: ({ events }, { id }) => events.isLarger(id, largeSize),
    *run(call, { id }) {
      const before = yield* largeWritableEvent(call, id)
      if (before.trashed) return removed(call, before)
      const event = inTrash(call, before)
      const result = trashed(call, event, yield* call.store.events.writeBody(event))
      yield
      return result
    }
  }
})

function removed(call: Call, event: Event): Result {
  const { changes, now, store } = call
  settleDeletion(call, event)
  changes.add('events', event.streamIds)
  store.events.remove(event.id, store.stamp(now), event)
  return { eventDeletion: { id: event.id } }
}

/** The event as it is to be. */
function inTrash(call: Call, event: Event): Event {
  const { caller, now, store } = call
  settleDeletion(call, event)
  return { ...event, trashed: true, modified: store.stamp(now), modifiedBy: caller.signature }
}

function trashed(call: Call, event: Event, body?: EventBody): Result {
  call.changes.add('events', event.streamIds)
  return { event: shown(call, call.store.events.update(event, body)) }
}
