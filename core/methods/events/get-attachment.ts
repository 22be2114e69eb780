/** `events.getAttachment`: returns an attachment, whose bytes the transport sends. (docs/spec/attachments.md#reading) */
import { Type } from 'typebox'
import { Attachment } from '../../../schemas/event.js'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { anyAccess } from '../../auth/allow.js'
import { describeEventScope } from '../../audit/read-scope.js'
import { mayRead, assertReadable } from '../../events/event-permissions.js'
import { fail } from '../../errors.js'
import { type AccessRule, method } from '../../call/method.js'

/** Refuses access tokens in the query: URLs of files get shared, and the token would be valid for more than the file. */
const noTokenInQuery: AccessRule = {
  ...anyAccess,
  check: ({ credentials }) => {
    // Sockets send their token when they connect, which is not the URL of a file.
    if (credentials.auth !== undefined && credentials.via !== 'socket.io')
      fail(
        'invalid-access-token',
        'The "auth" parameter is not accepted here. Use the Authorization header or "readToken"'
      )
  }
}

/** Returns the attachment, if the caller may read its event. Errors: `unknown-resource`, `forbidden`. */
export const getAttachment = method({
  id: 'events.getAttachment',
  summary: 'Download an attachment',
  params: Type.Object({ id: Identifier, fileId: Identifier }, closed),
  result: Type.Object({ attachment: Attachment }),
  mode: 'read',
  allow: noTokenInQuery,
  facts: ({ attachment }: { attachment: Attachment }) => ({ attachment }),
  recheckAccess({ caller, store }, { id, fileId }) {
    const event = store.series.findHolder(id)
    if (!event || store.attachments.findEventNumber(fileId) !== event.number)
      fail('unknown-resource', `No attachment "${fileId}"`)
    assertReadable({ caller, store }, event)
  },
  run(call, { id, fileId }) {
    const event = call.store.events.findOutline(id) ?? fail('unknown-resource', `No event "${id}"`)
    if (!mayRead(call, event)) fail('forbidden')
    const attachment = event.attachments?.find(one => one.id === fileId)
    if (!attachment) fail('unknown-resource', `No attachment "${fileId}"`)
    call.auditScope = describeEventScope(call, event)
    return { attachment }
  }
})
