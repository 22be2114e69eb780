/** Puts an event into the trash, or deletes one that is there. (service.md, Events; supplement 8.6) */
import { Type } from 'typebox'
import { Event } from '../../../schemas/event.js'
import { closed, Identifier, ItemDeletion } from '../../../schemas/scalars.js'
import { settleDeletion } from '../../account-events.js'
import { anyAccess } from '../../allow.js'
import { shown } from '../../event-view.js'
import { method } from '../../method.js'
import { writableEvent } from '../../writable-event.js'

/** The trashed event, or the record of its deletion. */
export const deleteEvent = method({
  id: 'events.delete',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Union([Type.Object({ event: Event }), Type.Object({ eventDeletion: ItemDeletion })]),
  mode: 'write',
  mayExceedQuota: true,
  allow: anyAccess,
  run(call, { id }) {
    const { caller, changes, now, store } = call
    const event = writableEvent(call, id)
    settleDeletion(call, event)
    const at = store.stamp(now)
    changes.add('events', event.streamIds)
    if (event.trashed) {
      store.events.remove(id, at)
      return { eventDeletion: { id } }
    }
    const trashed = { ...event, trashed: true, modified: at, modifiedBy: caller.signature }
    return { event: shown(call, store.events.update(trashed)) }
  }
})
