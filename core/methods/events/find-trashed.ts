/** `events.findTrashed`: which events count as being in the trash, although they are not there themselves. */
import { Type } from 'typebox'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { endpointsOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { getStreamIds, isInTrash } from '../../events/event-permissions.js'

/** Returns the ids of the events that lists omit because of their streams; of others, nothing. Errors: `invalid-method` for all but endpoints. */
export const findTrashed = method({
  id: 'events.findTrashed',
  summary: 'Find the events whose streams are in the trash',
  params: Type.Object({ ids: Type.Array(Identifier, { maxItems: 1000 }) }, closed),
  result: Type.Object({ ids: Type.Array(Identifier) }),
  mode: 'read',
  isInternal: true,
  allow: endpointsOnly,
  run(call, { ids }) {
    const { series } = call.store
    return {
      ids: ids.filter(id => {
        const event = series.findHolder(id)
        return event && isInTrash(call, { streamIds: getStreamIds(call.store, event.streams) })
      })
    }
  }
})
