/** Lists events by time, streams, types and more. (docs/spec/events.md#reading-a-list) */
import { Type, type Static } from 'typebox'
import { Event } from '../../../schemas/event.js'
import { closed, ItemDeletion, orNull } from '../../../schemas/scalars.js'
import { anyAccess } from '../../auth/allow.js'
import { listAuditEvents, includesAudit } from '../../audit/events.js'
import { describeQueryScope } from '../../audit/read-scope.js'
import { listEventDeletions } from '../../events/event-history.js'
import { isGiven } from '../../events/fields.js'
import { selectEvents, selectionParams } from '../../events/selection.js'
import { includesSecrets, listSecretEvents } from '../../events/secret-listing.js'
import { omitNulls, type WithoutNulls } from '../../validation/omit-nulls.js'
import { concatLists } from '../../json/json-text.js'
import { method } from '../../call/method.js'

const Params = Type.Object(
  {
    ...selectionParams,
    includeDeletions: orNull(Type.Boolean()),
    /** The token, if it is sent as a parameter; it has been read before. */
    auth: Type.Optional(Type.String())
  },
  closed
)
type Params = WithoutNulls<Static<typeof Params>>

/**
 * Returns the events in order of time and, if requested together with `modifiedSince`, the deletions since
 * then. Without a time or a limit, the last 20. Audit records and shared secrets follow if their streams are
 * requested.
 */
export const get = method({
  id: 'events.get',
  summary: 'List events by time, streams, types and other criteria',
  params: Params,
  result: Type.Object({
    events: Type.Array(Event),
    eventDeletions: Type.Optional(Type.Array(ItemDeletion))
  }),
  mode: 'read',
  allow: anyAccess,
  // "Until now" is a different time in every call, the audit grows with each, and secrets expire.
  isCacheable: ({ fromTime, streams, toTime }) =>
    (!isGiven(fromTime) || isGiven(toTime)) && !includesAudit(streams) && !includesSecrets(streams),
  run(call, all) {
    const params = omitNulls(all)
    const { modifiedSince, includeDeletions } = params
    const limit = getLimit(params)
    const { events: own, query } = selectEvents(call, params, limit)
    call.auditScope = describeQueryScope(call.caller, params.streams, query)
    const others = [
      ...(includesAudit(params.streams) ? [listAuditEvents(call, params)] : []),
      ...(includesSecrets(params.streams) ? [listSecretEvents(call, params)] : [])
    ]
    const events = others.length > 0 ? concatLists([own, ...others]) : own
    if (!includeDeletions || modifiedSince === undefined) return { events }
    const isAscending = params.sortAscending === true
    return {
      events,
      eventDeletions: listEventDeletions({ since: modifiedSince, isAscending, skip: params.skip ?? 0, limit })
    }
  }
})

/** Returns the limit: 20 unless a time or a limit is given. */
function getLimit({ fromTime, toTime, limit }: Params): number {
  return limit ?? (fromTime === undefined && toTime === undefined ? 20 : Infinity)
}
