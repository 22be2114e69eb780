/** Deletes one file of an event. (docs/spec/attachments.md#deleting) */
import { Type } from 'typebox'
import { Event } from '../../../schemas/event.js'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { anyAccess } from '../../auth/allow.js'
import { fail } from '../../errors.js'
import { shown } from '../../events/view.js'
import { method } from '../../call/method.js'
import { writableEvent } from '../../events/writable.js'

/** The event without the file, whose bytes go with it. */
export const deleteAttachment = method({
  id: 'events.deleteAttachment',
  summary: 'Delete a file of an event',
  params: Type.Object({ id: Identifier, fileId: Identifier }, closed),
  result: Type.Object({ event: Event }),
  mode: 'write',
  mayExceedQuota: true,
  allow: anyAccess,
  run(call, { id, fileId }) {
    const { caller, changes, now, store } = call
    const event = writableEvent(call, id)
    const attachments = (event.attachments ?? []).filter(one => one.id !== fileId)
    if (attachments.length === (event.attachments ?? []).length)
      fail('unknown-resource', `No attachment "${fileId}"`)
    const text = store.events.update({
      ...event,
      attachments,
      modified: store.stamp(now),
      modifiedBy: caller.signature
    })
    changes.add('events', event.streamIds)
    return { event: shown(call, text) }
  }
})
