/** Adds files to an event. (docs/spec/attachments.md#uploading) */
import { Type } from 'typebox'
import { Event } from '../../../schemas/event.js'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { anyAccess } from '../../auth/allow.js'
import { fail } from '../../errors.js'
import { shown } from '../../events/view.js'
import { method } from '../../call/method.js'
import { writableEvent } from '../../events/writable.js'

/** The event with the files that came with the call, after those that it had. */
export const addAttachment = method({
  id: 'events.addAttachment',
  summary: 'Add files to an event',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Object({ event: Event }),
  mode: 'write',
  allow: anyAccess,
  takesFiles: true,
  run(call, { id }) {
    const { caller, changes, files, now, store } = call
    if (files.length === 0)
      fail('invalid-request-structure', 'The call brings no file: send a multipart form')
    const event = writableEvent(call, id)
    const text = store.events.update({
      ...event,
      attachments: [...(event.attachments ?? []), ...files],
      modified: store.stamp(now),
      modifiedBy: caller.signature
    })
    changes.add('events', event.streamIds)
    return { event: shown(call, text) }
  }
})
