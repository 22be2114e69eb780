/** Provides the preview of a picture, for the transport to send its bytes. (docs/spec/previews.md#reading) */
import { Type } from 'typebox'
import { closed, Identifier, Timestamp } from '../../../schemas/scalars.js'
import { anyAccess } from '../../auth/allow.js'
import { describeEventScope } from '../../audit/read-scope.js'
import { mayRead, assertReadable } from '../../events/event-permissions.js'
import { fail } from '../../errors.js'
import type { Preview } from '../../previews/previews.js'
import { method, type Call } from '../../call/method.js'
import type { EventOutline } from '../../../storage/repositories/event-row.js'

const Pixels = Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 }))

/**
 * Returns the preview, which is rendered if there is none yet, if the caller may read its event; `null` for
 * events that are not pictures.
 */
export const getPreview = method({
  id: 'previews.get',
  summary: 'Get a preview of an image',
  params: Type.Object({ id: Identifier, w: Pixels, width: Pixels, h: Pixels, height: Pixels }, closed),
  result: Type.Object({
    preview: Type.Union([
      Type.Null(),
      Type.Object({ fileId: Identifier, frame: Type.String(), modified: Timestamp })
    ])
  }),
  mode: 'read',
  allow: anyAccess,
  facts: ({ preview }: { preview: Preview | null }) => ({ preview }),
  async prepare(call, { h, height = h, id, w, width = w }) {
    const event = requireReadable(call, id)
    if (event.type !== 'picture/attached') return null
    const asked = { ...(width === undefined ? {} : { width }), ...(height === undefined ? {} : { height }) }
    return await call.services.previews.ensurePreview(call.account, event, asked, call.signal)
  },
  recheckAccess(reader, { id }) {
    assertReadable(reader, reader.store.series.findHolder(id) ?? fail('unknown-resource', `No event "${id}"`))
  },
  run(call, { id }, preview) {
    // Rendering takes a while: permissions are checked again.
    call.auditScope = describeEventScope(call, requireReadable(call, id))
    return { preview }
  }
})

function requireReadable(call: Call, id: string): EventOutline {
  const event = call.store.events.findOutline(id) ?? fail('unknown-resource', `No event "${id}"`)
  if (!mayRead(call, event)) fail('forbidden')
  return event
}
