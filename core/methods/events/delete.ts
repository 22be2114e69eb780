/**
 * Moves an event to the trash, or deletes an event that is in the trash. (docs/spec/events.md#trashing-and-deleting)
 */
import { Type } from 'typebox'
import { Event } from '../../../schemas/event.js'
import { closed, Identifier, ItemDeletion } from '../../../schemas/scalars.js'
import type { Steps } from '../../../storage/steps.js'
import { applyValueDeletion } from '../../account/value-events.js'
import { anyAccess } from '../../auth/allow.js'
import { toPublicEvent } from '../../events/public-event.js'
import { largeSize } from '../../json/writer.js'
import { methodInSteps, type Result } from '../../call/method.js'
import { deleteSecret } from '../../shared-secrets/retrieval.js'
import { maySeeSecret } from '../../shared-secrets/state.js'
import { findWritableEvent, prepareBody } from '../../events/writable-event.js'

/**
 * Returns the trashed event, or if it was in the trash, the record of its deletion. A value of an account
 * field is no longer in force. Shared secrets are deleted at once.
 */
export const deleteEvent = methodInSteps({
  id: 'events.delete',
  summary: 'Trash an event, or delete a trashed one',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Union([Type.Object({ event: Event }), Type.Object({ eventDeletion: ItemDeletion })]),
  mode: 'write',
  mayExceedQuota: true,
  allow: anyAccess,
  isLong: ({ events, history }, { id }) => events.isLarger(id, largeSize) || history.measureEvent(id) > 1,
  *run(call, { id }): Steps<Result> {
    const { caller, changes, now, store } = call
    const secret = store.sharedSecrets.find(id)
    if (secret && maySeeSecret(caller, secret)) return deleteSecret(call, secret)
    const before = yield* findWritableEvent(call, id)
    applyValueDeletion(call, before)
    const modified = store.stamp(now)
    changes.addEvent(before)
    if (before.trashed) {
      yield* store.events.remove(id, modified, before)
      return { eventDeletion: { id } }
    }
    const event: Event = { ...before, trashed: true, modified, modifiedBy: caller.signature }
    changes.addEvent(event)
    return { event: toPublicEvent(call, store.events.update(event, yield* prepareBody(call, event))) }
  }
})
