/** Deletes one file of an event. (docs/spec/attachments.md#deleting) */
import { Type, type Static } from 'typebox'
import { Event } from '../../../schemas/event.js'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { anyAccess } from '../../auth/allow.js'
import { fail } from '../../errors.js'
import { updateFiles } from '../../events/attachments.js'
import { methodInSteps } from '../../call/method.js'

const Params = Type.Object({ id: Identifier, fileId: Identifier }, closed)

/**
 * Returns the event without the file, which is deleted as well. Throws `unknown-resource` if the event has no
 * such file.
 */
export const deleteAttachment = methodInSteps({
  id: 'events.deleteAttachment',
  summary: 'Delete an attachment',
  params: Params,
  result: Type.Object({ event: Event }),
  mode: 'write',
  mayExceedQuota: true,
  allow: anyAccess,
  ...updateFiles((_call, { fileId }: Static<typeof Params>) => before => {
    const files = before.filter(({ id }) => id !== fileId)
    return files.length < before.length ? files : fail('unknown-resource', `No attachment "${fileId}"`)
  })
})
