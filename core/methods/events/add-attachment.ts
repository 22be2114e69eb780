/** Adds files to an event. (docs/spec/attachments.md#uploading) */
import { Type } from 'typebox'
import { Event } from '../../../schemas/event.js'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { anyAccess } from '../../auth/allow.js'
import { fail } from '../../errors.js'
import { assertFileCount, updateFiles } from '../../events/attachments.js'
import { methodInSteps } from '../../call/method.js'

/**
 * Returns the event with the uploaded files after its previous files. Throws `invalid-request-structure`
 * without files.
 */
export const addAttachment = methodInSteps({
  id: 'events.addAttachment',
  summary: 'Add files to an event',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Object({ event: Event }),
  mode: 'write',
  allow: anyAccess,
  takesFiles: true,
  ...updateFiles(({ files, services }) => {
    if (files.length === 0)
      fail('invalid-request-structure', 'The request contains no file. Send a multipart form')
    return before => {
      assertFileCount(services, before.length + files.length)
      return [...before, ...files]
    }
  })
})
